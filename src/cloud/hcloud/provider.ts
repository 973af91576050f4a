import type { CloudProviderFactory, CloudSetup } from "../factory.ts";
import type { CloudProvider, CloudStart } from "../provider.ts";
import { rangeText } from "./addresses.ts";
import { HcloudApi } from "./api.ts";
import { checkAttached } from "./attached_check.ts";
import { ClusterNodes } from "./cluster_nodes.ts";
import { HcloudInstances } from "./instances.ts";
import { HcloudLoadBalancers } from "./load_balancers.ts";
import { findNetwork } from "./network.ts";
import { HcloudRoutes } from "./routes.ts";
import { Servers } from "./server_cache.ts";
import { readSettings } from "./settings.ts";
import { tokenSource } from "./token.ts";
import { Warnings } from "./warnings.ts";

/**
 * Hetzner Cloud: instances, load balancers and, with a network, routes. It is configured by the vendor's environment
 * variables (`HCLOUD_TOKEN`, `HCLOUD_NETWORK`, …) and by annotations of Services (`load-balancer.hetzner.cloud/…`);
 * `--cloud-config` is not used.
 *
 * Upstream: `github.com/hetznercloud/hcloud-cloud-controller-manager`, whose resources it takes over, and vice versa.
 */
export const HCLOUD: CloudProviderFactory = { name: "hcloud", open };

async function open(setup: CloudSetup): Promise<CloudProvider> {
  const { world, metrics } = setup;
  const log = world.log.named("hcloud");
  const settings = readSettings((name) => setup.env(name));
  const token = tokenSource(setup);
  if ((await token.token()).length !== 64) {
    log.warn("Unrecognized token format, expected 64 characters, proceeding anyway");
  }
  const lifetime = new AbortController();
  const api = new HcloudApi({ world, metrics, send: setup.connect(), endpoint: settings.endpoint, token });
  const network = settings.network === "" ? undefined : await findNetwork(api, settings.network, lifetime.signal);
  if (network && settings.isAttachedCheckEnabled) {
    await checkAttached(setup.connect(), world, network.id, settings.network);
  }
  // Fails now if the token is invalid, instead of in the first Node's event.
  await api.list("locations", {}, lifetime.signal);
  const nodes = new ClusterNodes();
  const servers = new Servers(api, world.clock, settings, lifetime.signal, nodes);
  const warnings = new Warnings();
  const clusterCidrs = setup.clusterCidrs.filter((cidr) => rangeText(cidr) !== undefined);
  const hasRoutes = settings.areRoutesEnabled && clusterCidrs.length > 0;
  if (settings.areRoutesEnabled && !hasRoutes) log.warn("There are no routes without --cluster-cidr");
  return {
    name: HCLOUD.name,
    hasClusterId: false,
    instances: new HcloudInstances(servers, settings, network?.id),
    ...settings.balancers.isEnabled && {
      loadBalancers: new HcloudLoadBalancers({ api, world, servers, settings, network: network?.id, warnings }),
    },
    ...network && hasRoutes && {
      routes: new HcloudRoutes({ api, world, servers, network: network.id, clusterCidrs, warnings }),
    },
    // deno-lint-ignore require-await
    initialize: async (start: CloudStart) => {
      warnings.start(start);
      nodes.start(start);
      const end = () => lifetime.abort(start.signal.reason);
      if (start.signal.aborted) end();
      else start.signal.addEventListener("abort", end, { once: true });
    },
  };
}
