/** Groups of controllers in separate threads. */
export { assignGroups, type GroupAssignment } from "./assignment.ts";
export type { GroupLimits } from "./group.ts";
export type { GroupThread } from "./group_life.ts";
export type { GroupSettings } from "./group_messages.ts";
export { GroupSet, type GroupSetOptions, unstartable } from "./group_set.ts";
export { startGroupThread } from "./start_thread.ts";
export { type DirectAccess, type GroupAccess } from "./group_access.ts";
