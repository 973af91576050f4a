import { BUILT_IN_RESOURCES, type GroupVersion } from "../../api/mod.ts";

const BUILT_IN = new Set(BUILT_IN_RESOURCES.map(({ group, version }) => `${group}/${version}`));

/** Whether a version of a group is built into every server and never changes. */
export function isBuiltIn({ group, version }: GroupVersion): boolean {
  return BUILT_IN.has(`${group}/${version}`);
}
