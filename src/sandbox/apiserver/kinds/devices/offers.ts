import type { DeviceClass, ResourceSlice } from "../../../../api/mod.ts";
import type { Traits } from "../../traits/mod.ts";

export const resourceSlices: Traits<ResourceSlice> = { answersDeleted: true, generation: ({ spec }) => spec };
export const deviceClasses: Traits<DeviceClass> = { answersDeleted: true, generation: ({ spec }) => spec };
