/** A new controller is a folder with its row, and a line of the registry: all else is derived. */
import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { FakeWorld, MetricsRegistry } from "../../src/base/mod.ts";
import { TransportClientBuilder } from "../../src/client/mod.ts";
import { managerUsage } from "../../src/cli/usage.ts";
import { clientNameOf, type ControllerRow, KNOWN_CONTROLLERS } from "../../src/controllers/mod.ts";
import { defineController, notPositive } from "../../src/controllers/running/mod.ts";
import {
  type Component,
  ControllerManager,
  KUBE_CONTROLLER_MANAGER,
  managerFlags,
  managerOptions,
  UnknownControllerError,
} from "../../src/manager/mod.ts";
import { configuration } from "../../src/manager/endpoint/configz.ts";
import { assignGroups } from "../../src/manager/groups/mod.ts";

const SRC = fromFileUrl(new URL("../../src/", import.meta.url));
const built: unknown[] = [];

/** Without `build`: what kubeloop does not have yet. */
const ROW = defineController({
  name: "tea-controller",
  aliases: ["tea"],
  clientName: "tea-maker",
  gates: ["WatchListClient"],
  group: "workloads",
  options: {
    workers: {
      flag: "concurrent-tea-syncs",
      type: "int32",
      default: 3,
      help: "Cups made at a time",
      configz: "TeaController.ConcurrentTeaSyncs",
      objection: notPositive,
    },
    steepMs: {
      flag: "tea-steep-period",
      type: "duration",
      default: "4m0s",
      help: "How long tea steeps",
      configz: "TeaController.Pot.SteepPeriod",
    },
    isGreen: { flag: "green-tea", type: "bool", default: true, help: "Make green tea", configz: "TeaController.Green" },
  },
});
const BUILT = {
  ...ROW,
  build: (_: unknown, options: unknown) => {
    built.push(options);
    return undefined;
  },
};

/** kube-controller-manager with one more line in the registry. */
function withRow(row: ControllerRow): Component {
  return { ...KUBE_CONTROLLER_MANAGER, controllers: [...KUBE_CONTROLLER_MANAGER.controllers, row] };
}

Deno.test("a new row has its flags, their checks, and their place in --help and /configz", () => {
  const flags = managerFlags(["--concurrent-tea-syncs=7", "--tea-steep-period=90s"], withRow(BUILT));
  const { controllerEntries } = managerOptions(flags);
  const document = configuration(flags, { controllers: controllerEntries }) as Record<string, Record<string, unknown>>;
  assertEquals(document["kubecontrollermanager.config.k8s.io"].TeaController, {
    ConcurrentTeaSyncs: 7,
    Pot: { SteepPeriod: "1m30s" },
    Green: true,
  });
  assertEquals(flags.idle, []);
  const none = managerFlags(["--concurrent-tea-syncs=0"], withRow(BUILT));
  assertThrows(() => managerOptions(none), Error, "--concurrent-tea-syncs must be greater than 0, but got 0");
  const help = managerUsage(withRow(BUILT));
  assertStringIncludes(help, "Tea-controller flags:");
  assertStringIncludes(help, "Cups made at a time (default 3)\n");
  assertThrows(() => managerFlags(["--green-tea"]), Error, "unknown flag: --green-tea");
});

Deno.test("a row without code is named where a controller is absent, and its flags have no effect", () => {
  const component = withRow(ROW);
  const help = managerUsage(component);
  assertStringIncludes(help, "Cups made at a time (default 3) [no effect in this version]\n");
  assert(/^ +Not in this version: .*tea-controller/m.test(help));
  assert(!/^ +Not in this version: .*tea-controller/m.test(managerUsage(withRow(BUILT))));
  const flags = managerFlags(["--green-tea=false"], component);
  assertEquals(flags.idle, ["green-tea"]);
  assertEquals(
    managerOptions(flags).controllerGroups.flatMap(({ controllers }) => controllers).includes(ROW.name),
    false,
  );
});

Deno.test("a new row is selected, in its group, and built with its own options", async () => {
  const { controllers: known } = withRow(BUILT);
  const flags = managerFlags(["--controllers=tea", "--concurrent-tea-syncs=7"], withRow(BUILT));
  const { controllers, controllerOptions, minResyncPeriodMs } = managerOptions(flags);
  assertEquals([...controllers], ["tea-controller"]);
  assertThrows(() => managerOptions(managerFlags(["--controllers=tea"])), UnknownControllerError, '"tea"');
  assertEquals(assignGroups(["auto"], { known, enabled: [BUILT], processors: 4 }), [
    { name: "workloads", controllers: ["tea-controller"] },
  ]);
  const world = new FakeWorld();
  const transport = () => Promise.resolve(Response.json({}));
  const manage = (gates: ReadonlySet<string>) => {
    const stop = new AbortController();
    const running = new ControllerManager({
      world,
      metrics: new MetricsRegistry(),
      clients: new TransportClientBuilder({
        program: "kube-controller-manager",
        world,
        transport,
        server: "http://127.0.0.1",
      }),
      controllers: [BUILT],
      controllerOptions: { ...controllerOptions, gates },
      minResyncPeriodMs,
      onStarted: () => stop.abort(),
    }).run(stop.signal);
    return running;
  };
  await manage(new Set());
  assertEquals(built, [], "its gate is off");
  await manage(controllerOptions.gates);
  assertEquals(built, [{ workers: 7, steepMs: 240_000, isGreen: true }]);
});

Deno.test("a controller is its folder and one line of the registry: its row is named nowhere else", async () => {
  const lines: { path: string; line: string }[] = [];
  for (const path of await filesBelow("")) {
    const text = await Deno.readTextFile(SRC + path);
    for (const line of text.split("\n")) if (line.includes("_CONTROLLER")) lines.push({ path, line });
  }
  let rows = 0;
  for (const { path, line } of lines) {
    const [, row] = /^export const (\w+_CONTROLLER) = defineController/.exec(line) ?? [];
    if (!row) continue;
    rows++;
    const folder = path.slice(0, path.lastIndexOf("/"));
    const named = new RegExp(`\\b${row}\\b`);
    const outside = lines.filter((other) => !other.path.startsWith(`${folder}/`) && named.test(other.line));
    assertEquals(outside, [{
      path: "controllers/rows.ts",
      line: `export { ${row} } from "./${folder.replace("controllers/", "")}/mod.ts";`,
    }]);
  }
  assertEquals(rows, KNOWN_CONTROLLERS.length);
  const names = KNOWN_CONTROLLERS.flatMap(({ name, aliases }) => [name, ...aliases]);
  assertEquals(names.length, new Set(names).size);
  for (const { name, clientName } of KNOWN_CONTROLLERS) assertEquals(clientNameOf(name), clientName);
  assertEquals(KNOWN_CONTROLLERS.findIndex(({ builtFirst }) => builtFirst), 0);
});

/** A controller need not be in these files. */
const MAY_LIST = [
  "manager/kube_component.ts", // in which order upstream shows the sections of flags; two may share one
  "manager/cloud_component.ts",
  "embedded/stand_ins.ts", // whose work is done by others where the controller does not run
  "cli/dev/kinds.ts", // by kind, the controller without which nothing of that kind becomes ready
];

Deno.test("no file besides the registry lists controllers or their flags", async () => {
  const flagsOfRow = ({ options }: (typeof KNOWN_CONTROLLERS)[number]) =>
    Object.values(options).flatMap((option) => "flag" in option ? [option.flag] : []);
  const all = KNOWN_CONTROLLERS.flatMap(flagsOfRow);
  // A flag that several rows have says nothing of any of them.
  const isItsOwn = (flag: string) => all.indexOf(flag) === all.lastIndexOf(flag);
  const words = KNOWN_CONTROLLERS.map((row) => [row.name, ...flagsOfRow(row).filter(isItsOwn)]);
  for (const path of await filesBelow("")) {
    if (path.includes("/generated")) continue;
    const text = await Deno.readTextFile(SRC + path);
    const named = words.filter((own) => own.some((word) => text.includes(`"${word}"`))).map(([name]) => name);
    if (!MAY_LIST.includes(path)) assert(named.length < 3, `${path} lists controllers: ${named.join(", ")}`);
  }
});

async function filesBelow(folder: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(SRC + folder)) {
    const path = folder ? `${folder}/${name}` : name;
    if (isDirectory) found.push(...await filesBelow(path));
    else if (name.endsWith(".ts")) found.push(path);
  }
  return found;
}
