import type { Authorizer, Rule } from "../access/mod.ts";

const ALL = ["*"];

export const FULL_AUTHORITY: readonly Rule[] = [
  { verbs: ALL, apiGroups: ALL, resources: ALL },
  { verbs: ALL, nonResourceURLs: ALL },
];

/** The mode `AlwaysAllow`: everybody may do everything. */
export const ALWAYS_ALLOW: Authorizer = {
  authorize: () => ({ allowed: true, reason: "" }),
  rulesFor: () => ({ rules: FULL_AUTHORITY, errors: [] }),
};
