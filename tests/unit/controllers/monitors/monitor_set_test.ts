import { assertEquals, assertRejects } from "@std/assert";
import { CONFIGMAPS, PODS, SECRETS } from "../../../../src/api/mod.ts";
import {
  type MonitoredInformer,
  MonitorSet,
  resourcesDiff,
  sameResources,
} from "../../../../src/controllers/monitors/mod.ts";
import { FakeInformerSource } from "../fake_informer_source.ts";

function setUp() {
  const source = new FakeInformerSource();
  const { informers, broken, dropped } = source;
  const heard: string[] = [];
  const set = new MonitorSet<MonitoredInformer>({
    source,
    handlerOf: ({ plural }) => ({ onAdd: ({ metadata }) => void heard.push(`${plural} ${metadata?.name}`) }),
  });
  const add = (plural: string, name: string) => informers.get(plural)!.add({ metadata: { namespace: "a", name } });
  return { broken, dropped, heard, set, add };
}

Deno.test("MonitorSet: a resource that stays keeps its monitor, and with it what it was told", async () => {
  const { heard, set, add } = setUp();
  await set.sync([PODS]);
  const monitor = set.of(PODS);
  add("pods", "x");
  await set.sync([PODS, SECRETS]);
  assertEquals([set.of(PODS) === monitor, heard], [true, ["pods x"]]);
});

Deno.test("MonitorSet: a resource that is gone is no longer listened to, and its informer ends unless somebody else listens to it", async () => {
  const { heard, dropped, set, add } = setUp();
  await set.sync([PODS, SECRETS]);
  await set.sync([PODS]);
  add("secrets", "x");
  assertEquals([heard, dropped, set.of(SECRETS)], [[], ["secrets"], undefined]);
});

Deno.test("MonitorSet: one monitor that cannot be made leaves the others untouched", async () => {
  const { broken, heard, set, add } = setUp();
  await set.sync([PODS]);
  broken.add("secrets");
  const error = await assertRejects(() => set.sync([PODS, SECRETS, CONFIGMAPS]), AggregateError);
  assertEquals(error.message, `couldn't start monitor for resource "/v1/secrets": no informer`);
  add("pods", "x");
  add("configmaps", "y");
  assertEquals([heard, set.size], [["pods x", "configmaps y"], 2]);
});

Deno.test("resourcesDiff says what came and what went, and sameResources whether anything did", () => {
  const before = new Map([["v1/pods", PODS], ["v1/secrets", SECRETS]]);
  const after = new Map([["v1/configmaps", CONFIGMAPS], ["v1/pods", PODS]]);
  assertEquals(resourcesDiff(before, after), "added: [v1/configmaps], removed: [v1/secrets]");
  assertEquals([sameResources(before, after), sameResources(before, new Map(before))], [false, true]);
});
