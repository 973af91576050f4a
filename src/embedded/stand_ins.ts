import { CONTROLLERS } from "../controllers/mod.ts";
import { managerFlags, managerOptions } from "../manager/mod.ts";
import { type ApiServerOptions, isKnownGate, type NodeSimulatorOptions } from "../sandbox/mod.ts";

/** What the API server and nodes do in place of controllers. */
export interface StandIns {
  readonly server: Required<Pick<ApiServerOptions, "aggregatesRoles">>;
  readonly nodes: Required<Pick<NodeSimulatorOptions, "untaint">>;
  /** Whether nodes are trusted without certificates, because no controllers approve and sign their requests. */
  readonly trustsNodes: boolean;
}

const CERTIFYING = ["certificatesigningrequest-approving-controller", "certificatesigningrequest-signing-controller"];

/** @param running Names of the running controllers, which need no stand-in. */
export function standIns(running: ReadonlySet<string>): StandIns {
  return {
    server: { aggregatesRoles: !running.has("clusterrole-aggregation-controller") },
    nodes: { untaint: !running.has("node-lifecycle-controller") },
    trustsNodes: !CERTIFYING.every((name) => running.has(name)),
  };
}

/**
 * The API server's settings for a manager's flags: the feature gates that both have, and stand-ins for controllers that
 * do not run. For example, if no controller aggregates roles, admin, edit and view have their rules from the start.
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
