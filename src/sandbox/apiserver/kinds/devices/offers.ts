import type { DeviceClass, ResourceSlice } from "../../../../api/mod.ts";
import type { Stored, Traits, WriteContext } from "../../traits/mod.ts";
import { beginTaint } from "./taints.ts";

function beginTaints({ spec }: Stored<ResourceSlice>, context: WriteContext): void {
  for (const { taints } of spec?.devices ?? []) for (const taint of taints ?? []) beginTaint(taint, context);
}

export const resourceSlices: Traits<ResourceSlice> = {
  answersDeleted: true,
  generation: ({ spec }) => spec,
  prepareCreate: beginTaints,
  prepareUpdate: (slice, _old, context) => beginTaints(slice, context),
};
export const deviceClasses: Traits<DeviceClass> = { answersDeleted: true, generation: ({ spec }) => spec };
