import { clusterTest } from "./cluster.ts";
import { failAlone } from "./failing_groups.ts";

clusterTest("a controller group that leaks fails alone: nothing is missed or made twice", () => failAlone("leak"));
