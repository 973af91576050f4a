import { assertEquals } from "@std/assert";
import { FakeWorld } from "../../../../src/base/mod.ts";
import { type ControllerContext, defineController } from "../../../../src/controllers/running/mod.ts";
import { fakeContext } from "../context.ts";

const options = {
  workers: { flag: "tea-syncs", type: "int32", default: 1, help: "", configz: "Tea.Syncs" },
  steepMs: { flag: "tea-period", type: "duration", default: "1m0s", help: "", configz: "Tea.Period" },
  ignored: { fixed: ["coffee"], configz: "Tea.Ignored" },
} as const;

Deno.test("defineController has a controller built with the options of its rows, and a log of its name", () => {
  const seen: unknown[] = [];
  const row = defineController({
    name: "tea-controller",
    options,
    build: ({ world }, { workers, steepMs, ...more }) => {
      const numbers: readonly number[] = [workers, steepMs];
      seen.push(numbers, more);
      world.log.info("Kettle on");
      return undefined;
    },
  });
  const world = new FakeWorld();
  row.build(fakeContext({ world, client: {}, informers: [] }), { workers: 2, steepMs: 60_000 });
  assertEquals(seen, [[2, 60_000], {}]);
  assertEquals(world.log.lines.map(({ logger }) => logger), ["tea-controller"]);
});

Deno.test("defineController refuses code for options that the row does not have", () => {
  const build = (_: ControllerContext, options: { readonly sugars: number }) => void options;
  // @ts-expect-error: there is no row for sugars
  defineController({ name: "tea-controller", options, build });
});

Deno.test("defineController: what a row does not say is as most controllers have it", () => {
  const { options: _, ...row } = defineController({ name: "tea-controller", options });
  assertEquals(row, {
    name: "tea-controller",
    aliases: [],
    clientName: "tea-controller",
    gates: [],
    enabledByDefault: true,
    hosts: ["kube-controller-manager"],
    builtFirst: false,
    group: "rest",
    queues: [],
    metrics: [],
    finalizers: {},
  });
});
