import { BUILT_IN_RESOURCES, type GroupVersion } from "../../api/mod.ts";

const BUILT_IN = new Set(BUILT_IN_RESOURCES.map(({ group, version }) => `${group}/${version}`));

/** Whether a version of a group is part of every server, and stays as it is. */
export function isBuiltIn({ group, version }: GroupVersion): boolean {
  return BUILT_IN.has(`${group}/${version}`);
}
