import { CONTROLLERS } from "../controllers/mod.ts";
import { managerFlags, managerOptions } from "../manager/mod.ts";
import { type ApiServerOptions, isKnownGate, type NodeSimulatorOptions } from "../sandbox/mod.ts";

/** What API server and nodes do in place of controllers that kubeloop does not have, or that do not run. */
export interface StandIns {
  readonly server: Required<Pick<ApiServerOptions, "aggregatesRoles">>;
  readonly nodes: Required<Pick<NodeSimulatorOptions, "untaint">>;
}

/** @param present Names of controllers: those that kubeloop has, whether they run or not, or those that run. */
export function standIns(present: ReadonlySet<string> = new Set(CONTROLLERS.map(({ name }) => name))): StandIns {
  return {
    server: { aggregatesRoles: !present.has("clusterrole-aggregation-controller") },
    nodes: { untaint: !present.has("node-lifecycle-controller") },
  };
}

/**
 * The settings of an API server that go with a manager's flags: the feature gates that both have, and what no controller
 * does.
 *
 * @throws {FlagError} For flags that kube-controller-manager refuses.
 */
export function serverSettings(
  flags: readonly string[],
): Required<Pick<ApiServerOptions, "aggregatesRoles" | "featureGates">> {
  const { gates } = managerOptions(managerFlags(flags));
  const shared = gates.all.filter(({ name }) => isKnownGate(name));
  return {
    ...standIns().server,
    featureGates: Object.fromEntries(shared.map(({ name, enabled }) => [name, enabled])),
  };
}
