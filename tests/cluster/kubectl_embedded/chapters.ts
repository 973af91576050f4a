import { APPLYING } from "./chapters/applying.ts";
import { CREATING } from "./chapters/creating.ts";
import { CUSTOM } from "./chapters/custom.ts";
import { DELETING } from "./chapters/deleting.ts";
import { DEPLOYMENTS } from "./chapters/deployments.ts";
import { DISCOVERY } from "./chapters/discovery.ts";
import { NODES } from "./chapters/nodes.ts";
import { PODS } from "./chapters/pods.ts";
import { READING } from "./chapters/reading.ts";
import type { Chapter } from "./step.ts";

/** In the order in which one server can take them all: nodes are drained before other chapters have pods on them. Each works alone, too. */
export const CHAPTERS: readonly Chapter[] = [
  DISCOVERY,
  NODES,
  CREATING,
  READING,
  APPLYING,
  DEPLOYMENTS,
  DELETING,
  CUSTOM,
  PODS,
];
