/** A provider that is right stays right when it is behind a webhook. */
import { callCloud, type Capability, describe, failureOf } from "../../../../src/cloud/mod.ts";
import { WEBHOOK_PROVIDER } from "../../../../src/cloud/webhook/mod.ts";
import { cloudConformance, objects } from "../../../../src/testkit/mod.ts";
import { Cluster, Leader, poolsText } from "../ippool/stage.ts";
import { cloudSetup } from "../setup.ts";

const POOLS = poolsText(
  "[{name: a, addresses: [10.0.0.0/24]}]",
  "nodes: [{name: one, addresses: [{type: InternalIP, address: 10.1.0.1}]}, {name: two, shutdown: true}]",
);
const CONFIG = "apiVersion: kubeloop.dev/v1alpha1\nkind: WebhookProviderConfiguration\nurl: https://cloud.test\n";

async function open() {
  const { provider } = await Leader.start(new Cluster(), POOLS);
  const send = async (request: Request): Promise<Response> => {
    const [, capability, method] = new URL(request.url).pathname.split("/").slice(1);
    if (capability === "describe") return Response.json({ result: describe(provider) });
    try {
      const { args } = await request.json();
      const answer = await callCloud(provider, { capability: capability as Capability, method, args }, request.signal);
      return Response.json({ result: answer ?? null });
    } catch (error) {
      return Response.json({ error: failureOf(error) });
    }
  };
  return await WEBHOOK_PROVIDER.open(cloudSetup(CONFIG, { send }));
}

const machine = (name: string) => ({ ...objects.node(name), spec: { providerID: `ippool://${name}` } });

const cases = cloudConformance({
  open,
  balancers: { nodes: [machine("one"), machine("two")] },
  instances: { running: machine("one"), stopped: machine("two"), absent: machine("three") },
});

for (const { name, run } of cases) Deno.test(`webhook conforms: ${name}`, run);
