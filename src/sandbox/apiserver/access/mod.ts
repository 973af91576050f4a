/** Users, what they try to do, and who decides whether they may. */
export type { Access, Attempt, Authorizer, Decision, HeldRules, ResourceAccess, Rule } from "./access.ts";
export * from "./user.ts";
