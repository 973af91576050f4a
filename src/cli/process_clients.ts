import { type World } from "../base/mod.ts";
import { writeLogLine } from "../log/mod.ts";
import {
  type Client,
  type ClientConfig,
  directAddress,
  ServerOutages,
  ServiceAccountClientBuilder,
  SimpleClientBuilder,
  trackConnections,
  transportOf,
  withoutCredentials,
} from "../client/mod.ts";
import type { ManagerOptions, ManagerProcessOptions } from "../manager/mod.ts";
import { delegatedConfig, type Delegation } from "./manager_config.ts";

/** The clients with which parts of the process reach the API server in `config`. */
export function clientsOf(
  world: World,
  { config, options }: { readonly config: ClientConfig; readonly options: ManagerOptions },
): ManagerProcessOptions["clients"] {
  return (mayWrite, metrics) => {
    const { qps, burst, controllerOptions: { program } } = options;
    const outages = new ServerOutages();
    const fenced = transportOf(world, config, { mayWrite, metrics });
    const root = new SimpleClientBuilder({ world, program, config, metrics, outages, transport: fenced, qps, burst });
    const anonymous = transportOf(world, withoutCredentials(config), { mayWrite });
    const accounts = options.useServiceAccountCredentials
      ? new ServiceAccountClientBuilder({
        world,
        program,
        config,
        metrics,
        outages,
        transport: fenced,
        anonymous,
        qps,
        burst,
      })
      : undefined;
    const address = directAddress(config);
    // Of its own, so that a renewal waits behind no other request.
    const own = transportOf(world, config);
    trackConnections(metrics, [fenced, anonymous, own]);
    const election = new SimpleClientBuilder({ world, program, config, metrics, outages, transport: own, qps, burst });
    return {
      controllers: accounts ?? root,
      access: {
        transport: (client) => accounts?.transport(client) ?? fenced,
        direct: accounts && address
          ? { address, token: (client) => accounts.token(client), tls: () => anonymous.tls?.() ?? {} }
          : undefined,
      },
      server: config.server,
      // In order with the main thread's own lines; and a failed write must not look like a failed group.
      log: writeLogLine,
      election: election.client("leader-election", {
        timeoutMs: Math.max(1000, options.election.renewDeadlineMs / 2),
      }),
    };
  };
}

/** How long the API server may take to authenticate or authorize somebody. */
const REVIEW_TIMEOUT_MS = 10_000;

/**
 * A client for asking the API server about others.
 *
 * @returns `undefined` if there is neither a kubeconfig nor a pod environment.
 * @throws {ConfigError} If the kubeconfig cannot be used.
 */
export async function delegatedClient(
  world: World,
  { program, ...delegation }: Delegation & { readonly program: string },
): Promise<Client | undefined> {
  const config = await delegatedConfig(world, delegation);
  if (!config) return undefined;
  const builder = new SimpleClientBuilder({
    world,
    program,
    config,
    transport: transportOf(world, config),
    // Reviews are rate-limited where it is known whom they are for.
    qps: -1,
    burst: 0,
  });
  return builder.client(`delegated-${delegation.what}`, { timeoutMs: REVIEW_TIMEOUT_MS });
}
