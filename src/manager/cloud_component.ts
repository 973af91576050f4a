import { KNOWN_CONTROLLERS } from "../controllers/mod.ts";
import { cloudFlags } from "./cloud_flags.ts";
import { type Component, SHARED_CONFIGURATION } from "./component.ts";

/**
 * The program that runs the controllers that call a cloud. Upstream: `k8s.io/cloud-provider/app`, and
 * `cmd/cloud-controller-manager` for node-ipam-controller.
 */
export const CLOUD_CONTROLLER_MANAGER: Component = {
  name: "cloud-controller-manager",
  hasCloud: true,
  controllers: KNOWN_CONTROLLERS.filter(({ hosts }) => hosts.includes("cloud-controller-manager")),
  flags: cloudFlags(),
  sections: [
    "debugging",
    "leader-migration",
    "generic",
    "cloud-node-controller",
    "service-lb-controller",
    "webhook",
    "webhook serving",
    "secure serving",
    "authentication",
    "authorization",
    "misc",
    "node-ipam-controller",
    "metrics",
    "logs",
    "global",
    "kubeloop",
  ],
  configuration: {
    group: "cloudcontrollermanager.config.k8s.io",
    version: "v1alpha1",
    kind: "CloudControllerManagerConfiguration",
    own: {
      ...SHARED_CONFIGURATION,
      "NodeController": {},
      "ServiceController": {},
      "NodeStatusUpdateFrequency": null,
      "Webhook": { "Webhooks": "--webhooks" },
    },
    shared: {
      "NodeController.ConcurrentNodeStatusUpdates": "--concurrent-node-status-updates|concurrent-node-syncs",
    },
    sections: [
      "Generic",
      "KubeCloudShared",
      "NodeController",
      "ServiceController",
      "NodeStatusUpdateFrequency",
      "Webhook",
    ],
    hidden: ["NodeIPAMController"],
  },
};
