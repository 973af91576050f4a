/** Whatever Services, leaders and configurations do: no address twice, and nobody loses one that fits. */
import { assert, assertEquals } from "@std/assert";
import fc from "../fast_check.ts";
import type { Service } from "../../src/api/mod.ts";
import { CloudError } from "../../src/cloud/mod.ts";
import { Cluster, Leader, poolsText, service } from "../unit/cloud/ippool/stage.ts";

const CONFIGS = [
  "[{name: a, addresses: [10.0.0.0/30]}, {name: b, addresses: ['fd00::/126'], sharing: Cluster}]",
  "[{name: a, addresses: [10.0.0.0/31, 10.0.0.8-10.0.0.9]}, {name: b, addresses: ['fd00::/127']}]",
  "[{name: a, addresses: [10.0.0.0/29], sharing: Cluster}, {name: b, addresses: ['fd00::/64'], namespaces: [n1]}]",
].map((pools) => poolsText(pools));

const wish = fc.record({
  name: fc.constantFrom("s0", "s1", "s2", "s3", "s4", "s5"),
  namespace: fc.constantFrom("n1", "n2"),
  dual: fc.boolean(),
  port: fc.constantFrom(80, 81),
  key: fc.constantFrom(undefined, "k1", "k2"),
  ip: fc.constantFrom(undefined, undefined, "10.0.0.1", "10.0.0.8"),
});

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("ensure" as const), wish }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("ensureAndDie" as const), wish }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("delete" as const), wish }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("deleteAndDie" as const), wish }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("deleteBeforeStatus" as const), wish }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("reload" as const), config: fc.nat(CONFIGS.length - 1) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("pass" as const), seconds: fc.integer({ min: 1, max: 90 }) }) },
);

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;
type Wish = { name: string; namespace: string; dual: boolean; port: number; key?: string; ip?: string };

function wanted({ name, namespace, dual, port, key, ip }: Wish): Service {
  return service(name, {
    namespace,
    ports: [port],
    families: dual ? ["IPv4", "IPv6"] : ["IPv4"],
    policy: dual ? "PreferDualStack" : "SingleStack",
    loadBalancerIP: ip,
    annotations: key === undefined ? {} : { "ippool/sharing-key": key },
  });
}

const ipsOf = (each: Service) => (each.status?.loadBalancer?.ingress ?? []).map(({ ip = "" }) => ip);
const keyOf = (each: Service) => each.metadata!.annotations?.["ippool/sharing-key"];

const nameOf = ({ metadata }: Service) => `${metadata!.namespace}/${metadata!.name}`;
const overlap = (a: Service, b: Service) => ipsOf(a).some((ip) => ipsOf(b).includes(ip));

/**
 * Fails if an address is shown twice without leave. A Service whose ports or key have changed is judged when it was
 * ensured again.
 *
 * @param left Services that gave up what their statuses still show, and those that were seen to share it since. These
 *   stay on it, whatever their keys become.
 */
function checkNobodyShares(
  cluster: Cluster,
  ensured: ReadonlySet<string>,
  left: ReadonlyMap<string, Set<string>>,
): void {
  const all = [...cluster.services.values()];
  for (const [i, a] of all.entries()) {
    for (const b of all.slice(i + 1)) {
      const both = [nameOf(a), nameOf(b)];
      if (!overlap(a, b) || left.get(both[0])?.has(both[1]) || left.get(both[1])?.has(both[0])) continue;
      assert(keyOf(a) !== undefined && keyOf(a) === keyOf(b), `${both} share ${ipsOf(a)} without one key`);
      assert(a.spec!.ports![0].port !== b.spec!.ports![0].port, `${both} share ${ipsOf(a)} and a port`);
      assert(both.every((name) => ensured.has(name)));
      left.get(both[0])?.add(both[1]);
      left.get(both[1])?.add(both[0]);
    }
  }
}

const shares = (name: "s0" | "s1", port: 80 | 81, key?: "k1"): Step & { kind: "ensure" } => ({
  kind: "ensure",
  wish: { name, namespace: "n1", dual: true, port, key, ip: undefined },
});
/** One of two that share gives its address up, but shows it still; the other then shares no more. */
const PARTED: Step[] = [
  shares("s0", 80, "k1"),
  shares("s1", 81, "k1"),
  { ...shares("s1", 81, "k1"), kind: "deleteBeforeStatus" },
  shares("s0", 80),
];

Deno.test("Allocator: no address is given to two Services but those that may share it, across restarts, reloads and deletions", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const cluster = new Cluster();
      const ensured = new Set<string>();
      const left = new Map<string, Set<string>>();
      let text = CONFIGS[0];
      let leader = await Leader.start(cluster, text);
      const restart = async () => {
        await leader[Symbol.asyncDispose]();
        leader = await Leader.start(cluster, text);
      };
      for (const each of steps) {
        if (each.kind === "pass") {
          await leader.pass(each.seconds * 1000);
          continue;
        }
        if (each.kind === "reload") {
          text = CONFIGS[each.config];
          leader.config.change(text);
          continue;
        }
        const asked = wanted(each.wish);
        const name = `${each.wish.namespace}/${each.wish.name}`;
        const stored = cluster.services.get(name);
        if (each.kind === "ensure" || each.kind === "ensureAndDie") {
          // The API server has the wish before the controller sees it; ports and key in force are those of the last success.
          let ips: string[];
          try {
            ips = await leader.ensure({ ...asked, status: stored?.status });
          } catch (error) {
            assert(error instanceof CloudError, String(error));
            continue;
          }
          assertEquals(await leader.ensure(asked), ips, "asked again, nothing changes");
          if (each.kind === "ensure") {
            cluster.put({ ...asked, status: { loadBalancer: { ingress: ips.map((ip) => ({ ip })) } } });
            ensured.add(name);
            left.delete(name);
          } else {
            await restart();
          }
        } else if (stored) {
          await leader.delete(stored);
          if (each.kind === "delete") cluster.services.delete(name);
          else if (each.kind === "deleteAndDie") await restart();
          else left.set(name, left.get(name) ?? new Set());
        }
        checkNobodyShares(cluster, ensured, left);
      }
      await leader[Symbol.asyncDispose]();
    }),
    { numRuns: 300, examples: [[PARTED]] },
  );
});

Deno.test("Allocator: a Service keeps its address while its pool is for the Service, whatever others ask for, across restarts", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), fc.boolean(), async (steps, dies) => {
      const cluster = new Cluster();
      let leader = await Leader.start(cluster, CONFIGS[0]);
      const mine = service("mine", {
        namespace: "n1",
        ports: [443],
        families: ["IPv4", "IPv6"],
        policy: "RequireDualStack",
      });
      const earlier = service("earlier", { families: ["IPv4", "IPv6"], policy: "RequireDualStack" });
      await leader.settle(earlier);
      const ips = await leader.settle(mine);
      await leader.delete(earlier);
      cluster.services.delete("default/earlier");
      for (const each of steps) {
        if (each.kind === "pass") await leader.pass(each.seconds * 1000);
        if (each.kind === "ensure") {
          await leader.settle(wanted(each.wish)).catch((error) => assert(error instanceof CloudError));
        }
        if (each.kind === "delete") {
          await leader.delete(wanted(each.wish));
          cluster.services.delete(`${each.wish.namespace}/${each.wish.name}`);
        }
        if (each.kind === "reload" && dies) {
          await leader[Symbol.asyncDispose]();
          leader = await Leader.start(cluster, CONFIGS[0]);
        }
        assertEquals(await leader.ensure(mine), ips);
      }
      await leader[Symbol.asyncDispose]();
    }),
    { numRuns: 200 },
  );
});
