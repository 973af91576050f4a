import { errorText } from "../../base/mod.ts";
import type { CloudProviderFactory } from "../factory.ts";
import { PoolBalancers } from "./balancers.ts";
import { readIpPoolConfig } from "./config.ts";
import { Inventory } from "./inventory.ts";

/** Addresses from pools for Services, and a list of machines, for clusters without a cloud. */
export const IPPOOL_PROVIDER: CloudProviderFactory = {
  name: "ippool",
  // deno-lint-ignore require-await
  async open({ world: { log }, world, config }) {
    const { pools, machines } = readIpPoolConfig(config);
    const loadBalancers = new PoolBalancers(world, pools);
    const instances = new Inventory(machines);
    const reload = (text: string) => {
      const next = readIpPoolConfig({ path: config.path, text });
      if (instances.machines && !next.machines) {
        throw new Error(
          `${config.path}: nodes must not go away as a whole while the process runs: nothing was changed`,
        );
      }
      if (!instances.machines && next.machines) log.info("An inventory of nodes was added", { path: config.path });
      instances.machines = next.machines;
      loadBalancers.setPools(next.pools);
      log.info("Reloaded the configuration of pools", { path: config.path, pools: next.pools.length });
    };
    config.onChange((text) => {
      try {
        reload(text);
      } catch (error) {
        log.error("Keeping the last good configuration of pools", { err: errorText(error) });
      }
    });
    return {
      name: "ippool",
      hasClusterId: true,
      loadBalancers,
      instances,
      initialize: (start) => loadBalancers.start(start),
    };
  },
};
