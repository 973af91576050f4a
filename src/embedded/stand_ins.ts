import { CONTROLLERS } from "../controllers/mod.ts";
import { managerFlags, managerOptions } from "../manager/mod.ts";
import { type ApiServerOptions, isKnownGate, type NodeSimulatorOptions } from "../sandbox/mod.ts";

/** What API server and nodes do in place of controllers. */
export interface StandIns {
  readonly server: Required<Pick<ApiServerOptions, "aggregatesRoles">>;
  readonly nodes: Required<Pick<NodeSimulatorOptions, "untaint">>;
}

/** @param running Names of the controllers that do it themselves. */
export function standIns(running: ReadonlySet<string>): StandIns {
  return {
    server: { aggregatesRoles: !running.has("clusterrole-aggregation-controller") },
    nodes: { untaint: !running.has("node-lifecycle-controller") },
  };
}

/**
 * The settings of an API server that go with a manager's flags: the feature gates that both have, and what none of its
 * controllers does: where nobody aggregates roles, admin, edit and view have their rules from the start.
 *
 * @throws {FlagError} For flags that kube-controller-manager refuses.
 */
export function serverSettings(
  flags: readonly string[],
): Required<Pick<ApiServerOptions, "aggregatesRoles" | "featureGates">> {
  const { gates, controllers } = managerOptions(managerFlags(flags));
  const shared = gates.all.filter(({ name }) => isKnownGate(name));
  const running = CONTROLLERS.filter(({ name }) => controllers.has(name));
  return {
    ...standIns(new Set(running.map(({ name }) => name))).server,
    featureGates: Object.fromEntries(shared.map(({ name, enabled }) => [name, enabled])),
  };
}
