/** The manager process: flags, election, start order, health, and running controllers. */
export * from "./controller_manager.ts";
export { type RunSettings, runSettings } from "./crew.ts";
export { type CloudAccess, CloudGuard } from "./cloud/mod.ts";
export * from "./controller_selection.ts";
export {
  type Endpoint,
  type EndpointClients,
  type EndpointOptions,
  HealthRecord,
  osReason,
  serveEndpoint,
} from "./endpoint/mod.ts";
export * from "./feature_gates.ts";
export type { FlagType } from "./flag_types.ts";
export * from "./flags.ts";
export { type GroupThread, startGroupThread } from "./groups/mod.ts";
export * from "./health.ts";
export type { LeaderMigration } from "./controller_leaders.ts";
export { leaderMigration } from "./leader_migration.ts";
export type { ManagerClients } from "./manager_clients.ts";
export {
  answerFrom as answerFromJournal,
  type AskJournals,
  type Chain,
  chainOf,
  chainText,
  SyncJournal,
  whyAnswer,
} from "./journal/mod.ts";
export * from "./manager_flags.ts";
export * from "./options.ts";
export * from "./process.ts";
export type { ManagerProcessOptions } from "./process_options.ts";
export { type FileOrigin, fileOrigins, OpenSupplies } from "./supplies/mod.ts";
export type { Supervisor } from "./supervision.ts";
export type { Component, Template } from "./component.ts";
export { CLOUD_CONTROLLER_MANAGER } from "./cloud_component.ts";
export { KUBE_CONTROLLER_MANAGER } from "./kube_component.ts";
export * from "./cluster.ts";
