/** The scenarios of attached volumes on the embedded API server: the controllers that they need, no network, no waiting. */
import { withTestCluster } from "kubeloop/testing";
import { ATTACHMENT_SCENARIOS } from "../scenarios/attachment_scenarios.ts";
import { DRIVEN_ATTACHMENT_SCENARIOS } from "../scenarios/driven_attachment_scenarios.ts";
import { kitOf } from "../scenarios/cluster_kit.ts";

const FLAGS = [
  `--controllers=${[
    "persistentvolume-attach-detach-controller",
    "persistentvolume-protection-controller",
    "persistentvolumeclaim-protection-controller",
    "serviceaccount-controller",
  ]}`,
  "--attach-detach-reconcile-sync-period=1s",
];

for (const { name, run } of [...ATTACHMENT_SCENARIOS, ...DRIVEN_ATTACHMENT_SCENARIOS]) {
  Deno.test(`scenario ${name} settles on the embedded API server`, () =>
    withTestCluster({ nodes: 0, flags: FLAGS }, async (cluster) => {
      const namespace = await cluster.namespace("scenario");
      await run(kitOf(cluster, namespace));
    }));
}
