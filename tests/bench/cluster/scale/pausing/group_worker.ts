/** A controller group's thread as it always is, which tells its pauses too. */
import { tellPauses } from "./lines.ts";
import "../../../../../src/manager/groups/group_worker.ts";

tellPauses(self.name);
