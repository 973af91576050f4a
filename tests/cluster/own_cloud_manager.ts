/** A cloud-controller-manager with a provider of one's own, as a user of the library writes it. */
import { cloudControllerManager } from "kubeloop/cloud-controller-manager";
import type { CloudProvider, CloudProviderFactory } from "kubeloop/cloud";

/** Has a machine for each Node but those called `gone-…`, and an address for each Service. */
const OWN: CloudProviderFactory = {
  name: "own",
  open: ({ config, clusterName, world: { log } }): Promise<CloudProvider> =>
    Promise.resolve({
      name: "own",
      hasClusterId: true,
      initialize: ({ recorder }) => {
        recorder("own-cloud", "node-controller");
        log.info("The cloud may begin", { clusterName, config: config.text.trim() });
        return Promise.resolve();
      },
      instances: {
        instanceExists: ({ metadata }) => Promise.resolve(!metadata?.name?.startsWith("gone-")),
        instanceShutdown: () => Promise.resolve(false),
        instanceMetadata: ({ metadata }) =>
          Promise.resolve({
            providerID: `own://${metadata?.name}`,
            instanceType: "small",
            region: "here",
            zone: "here-1",
            nodeAddresses: [{ type: "InternalIP", address: "10.1.0.1" }],
          }),
      },
      loadBalancers: {
        getLoadBalancer: () => Promise.resolve(null),
        ensureLoadBalancer: () => Promise.resolve({ ingress: [{ ip: "192.0.2.1" }] }),
        updateLoadBalancer: () => Promise.resolve(),
        ensureLoadBalancerDeleted: () => Promise.resolve(),
      },
    }),
};

if (import.meta.main) Deno.exit(await cloudControllerManager(Deno.args, { providers: [OWN] }));
