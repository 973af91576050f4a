import type { DeviceClass, ResourceSlice } from "../../../../api/mod.ts";
import type { Traits } from "../../traits/mod.ts";
import { beginTaint } from "./taints.ts";

export const resourceSlices: Traits<ResourceSlice> = {
  answersDeleted: true,
  generation: ({ spec }) => spec,
  defaults({ spec }, _gates, state) {
    for (const { taints } of spec?.devices ?? []) for (const taint of taints ?? []) beginTaint(taint, state);
  },
};
export const deviceClasses: Traits<DeviceClass> = { answersDeleted: true, generation: ({ spec }) => spec };
