import { cloudConformance, objects } from "../../../../src/testkit/mod.ts";
import { Cluster, Leader, poolsText } from "./stage.ts";

const TEXT = poolsText(
  "[{name: a, addresses: [10.0.0.0/24]}]",
  "nodes: [{name: one, addresses: [{type: InternalIP, address: 10.1.0.1}]}, {name: two, shutdown: true}]",
);

const machine = (name: string) => ({ ...objects.node(name), spec: { providerID: `ippool://${name}` } });

const cases = cloudConformance({
  open: async () => (await Leader.start(new Cluster(), TEXT)).provider,
  balancers: { nodes: [machine("one"), machine("two")] },
  instances: { running: machine("one"), stopped: machine("two"), absent: machine("three") },
});

for (const { name, run } of cases) Deno.test(`ippool conforms: ${name}`, run);
