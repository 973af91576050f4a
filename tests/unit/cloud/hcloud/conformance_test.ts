/** What controllers rely on of every provider, held against this one on the emulator. */
import { cloudConformance } from "../../../../src/testkit/mod.ts";
import { Bench, nodeOf } from "./bench.ts";

const NAMES = ["node-1", "node-2", "node-3"] as const;
const IDS = [11, 12, 13] as const;

let current: Bench;

/** A project with three servers in a network, one of them off. */
async function open() {
  current = new Bench({ env: { HCLOUD_NETWORK: "cluster" } });
  const { project } = current.emulator;
  const network = project.addNetwork("cluster");
  current.nodes = NAMES.map((name, i) => {
    const server = project.addServer(name, { id: IDS[i], status: i === 2 ? "off" : "running" });
    project.attach(server, network, `10.0.0.${i + 2}`);
    return nodeOf(server);
  });
  return await current.open();
}

await open();
const [first, second, stopped] = current!.nodes;
const cases = cloudConformance({
  open,
  balancers: {
    nodes: [first, second],
    changes: () => current.emulator.writes.length,
    targets: ({ metadata }) => {
      const isIts = ({ labels }: { labels?: Record<string, string> }) =>
        labels?.["hcloud-ccm/service-uid"] === metadata?.uid;
      const balancer = [...current.emulator.project.balancers.values()].find(isIts);
      const ids: number[] = balancer?.targets.map(({ server }: { server: { id: number } }) => server.id) ?? [];
      return ids.map((id) => NAMES[IDS.findIndex((other) => other === id)]);
    },
  },
  instances: {
    running: first,
    stopped,
    absent: { ...first, metadata: { name: "node-9" }, spec: { providerID: "hcloud://19" } },
    knows: ["providerID", "instanceType", "nodeAddresses", "zone", "region", "additionalLabels"],
  },
  routes: { nodes: [first, second] },
});
for (const { name, run } of cases) Deno.test(`hcloud: ${name}`, run);
