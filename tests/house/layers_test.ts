/** The picture of the house, held against the code: imports go down the layers, and never in a circle. */
import { assert, assertEquals } from "@std/assert";
import { fromFileUrl, relative } from "@std/path";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));

/** Rooms from low to high; rooms of one row may not import each other. */
const LAYERS: readonly (readonly string[])[] = [
  ["src/base"],
  ["src/log", "src/https", "src/ip", "src/api", "src/x509"],
  ["src/rules", "src/cel"],
  ["src/client"],
  ["src/watch"],
  ["src/cache"],
  ["src/workqueue", "src/election", "src/events"],
  ["src/cloud"],
  ["src/controllers"],
  ["src/manager"],
  ["src/embedded"],
  ["src/testkit", "src/cli"],
];

/** Rooms that stand beside the stack, and the highest room each may import. */
const ANNEXES: Readonly<Record<string, string>> = {
  "src/sandbox/apiserver": "src/rules",
  "src/sandbox/storage": "src/rules",
  "src/sandbox": "src/cache",
};

interface ModuleInfo {
  readonly specifier: string;
  readonly dependencies?: readonly {
    readonly code?: { readonly specifier?: string };
    readonly type?: { readonly specifier?: string };
  }[];
}

async function importGraph(): Promise<Map<string, string[]>> {
  const files: string[] = [];
  const walk = async (dir: string) => {
    for await (const entry of Deno.readDir(dir)) {
      if (entry.isDirectory) await walk(`${dir}/${entry.name}`);
      else if (entry.name.endsWith(".ts")) files.push(`${dir}/${entry.name}`);
    }
  };
  await walk(`${ROOT}src`);
  const entry = await Deno.makeTempFile({ suffix: ".ts" });
  try {
    const roots = [...files, `${ROOT}main.ts`, `${ROOT}mod.ts`];
    await Deno.writeTextFile(entry, roots.map((file) => `import "file://${file}";`).join("\n"));
    const { stdout, success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["info", "--json", "--no-remote", "--config", `${ROOT}deno.json`, entry],
    }).output();
    assert(success, new TextDecoder().decode(stderr));
    const { modules } = JSON.parse(new TextDecoder().decode(stdout)) as { modules: readonly ModuleInfo[] };
    const local = (specifier: string | undefined) =>
      specifier?.startsWith(`file://${ROOT}`) ? relative(ROOT, fromFileUrl(specifier)) : undefined;
    return new Map(modules.flatMap((module) => {
      const from = local(module.specifier);
      const targets = (module.dependencies ?? []).flatMap(({ code, type }) => [code?.specifier, type?.specifier]);
      return from ? [[from, [...new Set(targets.map(local).filter((to) => to !== undefined))]]] : [];
    }));
  } finally {
    await Deno.remove(entry);
  }
}

function roomOf(file: string): string {
  const rooms = [...LAYERS.flat(), ...Object.keys(ANNEXES)].sort((a, b) => b.length - a.length);
  return rooms.find((room) => file.startsWith(`${room}/`)) ?? file;
}

function heightOf(room: string): number {
  return LAYERS.findIndex((row) => row.includes(room));
}

/** Why `from` may not import `to`, or `undefined` when it may. */
function objection(from: string, to: string): string | undefined {
  const fromRoom = roomOf(from);
  const toRoom = roomOf(to);
  if (fromRoom === toRoom || !fromRoom.startsWith("src/")) return undefined;
  if (fromRoom in ANNEXES) {
    const inside = toRoom.startsWith("src/sandbox") &&
      (fromRoom === "src/sandbox" || toRoom === "src/sandbox/storage" || toRoom === "src/sandbox/apiserver");
    if (inside) return undefined;
    const low = heightOf(toRoom) >= 0 && heightOf(toRoom) <= heightOf(ANNEXES[fromRoom]);
    return low ? undefined : `${fromRoom} stops at ${ANNEXES[fromRoom]}`;
  }
  if (toRoom in ANNEXES) {
    return ["src/embedded", "src/testkit", "src/cli"].includes(fromRoom)
      ? undefined
      : "only what is above src/manager opens the sandbox";
  }
  return heightOf(toRoom) >= 0 && heightOf(toRoom) < heightOf(fromRoom) ? undefined : "it is not a lower layer";
}

const graph = await importGraph();

Deno.test("imports go down the layers", () => {
  const objections = [...graph].flatMap(([from, targets]) =>
    targets.flatMap((to) => {
      const why = objection(from, to);
      return why ? [`${from} imports ${to}: ${why}`] : [];
    })
  );
  assertEquals(objections, []);
  assert(graph.size > 100, "the graph holds the whole source");
});

Deno.test("rooms meet at their mod.ts", () => {
  const intrusions = [...graph].flatMap(([from, targets]) =>
    targets.filter((to) => from.startsWith("src/") && doorOf(to) !== doorOf(from) && to !== doorOf(to))
      .map((to) => `${from} reaches into ${to}`)
  );
  assertEquals(intrusions, []);
});

Deno.test("no import goes in a circle", () => {
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (file: string, path: readonly string[]) => {
    if (path.includes(file)) return void circles.push([...path.slice(path.indexOf(file)), file].join(" -> "));
    if (done.has(file)) return;
    for (const next of graph.get(file) ?? []) visit(next, [...path, file]);
    done.add(file);
  };
  for (const file of graph.keys()) visit(file, []);
  assertEquals(circles, []);
});

Deno.test("objection refuses an upward import and lets a downward one pass", () => {
  assertEquals(objection("src/base/heap.ts", "src/api/mod.ts"), "it is not a lower layer");
  assertEquals(objection("src/events/mod.ts", "src/workqueue/mod.ts"), "it is not a lower layer");
  assertEquals(
    objection("src/sandbox/apiserver/x.ts", "src/client/mod.ts"),
    "src/sandbox/apiserver stops at src/rules",
  );
  assertEquals(objection("src/manager/x.ts", "src/sandbox/mod.ts"), "only what is above src/manager opens the sandbox");
  assertEquals(objection("src/cache/x.ts", "src/watch/mod.ts"), undefined);
});

/** The `mod.ts` through which others see `file`; each controller is a room of its own, `src/controllers` itself a hall. */
function doorOf(file: string): string {
  const [, controller] = /^src\/controllers\/(\w+)\//.exec(file) ?? [];
  const room = controller ? `src/controllers/${controller}` : roomOf(file);
  return `${room}/mod.ts`;
}

// ---- Inside the embedded API server: each folder is a room.

const SERVER = "src/sandbox/apiserver";

/** Rooms of the embedded API server from low to high; those of one row may not import each other. */
const SERVER_LAYERS: readonly (readonly string[])[] = [
  ["base"],
  ["schema", "access"],
  ["validation", "protobuf"],
  ["decoding"],
  ["traits"],
  ["custom"],
  ["definitions"],
  ["kinds/shared"],
  ["kinds/pods"],
  [
    "kinds/certificates",
    "kinds/core",
    "kinds/devices",
    "kinds/networking",
    "kinds/services",
    "kinds/storage",
    "kinds/workloads",
  ],
  ["kinds/batch"],
  ["kinds"],
  ["resources"],
  ["patch", "operations"],
  ["apply", "authorization", "webhooks"],
  ["admission/pod_security"],
  ["admission"],
  ["writes", "requests"],
  ["authentication", "reads"],
  ["exchange"],
  ["subresources"],
  ["handlers", "controllers", "bootstrap", "faults"],
  // What kubectl alone needs: nothing below knows of it.
  ["discovery", "tables/columns"],
  ["tables/kinds", "openapi"],
  ["tables"],
  [""],
];

function serverRoomOf(file: string): string {
  return file.slice(SERVER.length + 1, Math.max(SERVER.length + 1, file.lastIndexOf("/")));
}

function serverHeightOf(room: string): number {
  return SERVER_LAYERS.findIndex((row) => row.includes(room));
}

/** Why a file of the embedded server may not import another, or `undefined` when it may. */
function serverObjection(from: string, to: string): string | undefined {
  const [fromRoom, toRoom] = [serverRoomOf(from), serverRoomOf(to)];
  if (fromRoom === toRoom) return undefined;
  if (serverHeightOf(fromRoom) < 0) return `${fromRoom} has no row`;
  if (serverHeightOf(toRoom) < 0 || serverHeightOf(toRoom) >= serverHeightOf(fromRoom)) {
    return "it is not a lower layer";
  }
  return to === `${SERVER}/${toRoom}/mod.ts` ? undefined : "it is not the room's mod.ts";
}

Deno.test("inside the embedded server imports go down its layers, through each room's mod.ts", () => {
  const isInside = (file: string) => file.startsWith(`${SERVER}/`);
  const objections = [...graph].filter(([from]) => isInside(from)).flatMap(([from, targets]) =>
    targets.filter(isInside).flatMap((to) => {
      const why = serverObjection(from, to);
      return why ? [`${from} imports ${to}: ${why}`] : [];
    })
  );
  assertEquals(objections, []);
});

Deno.test("every row of the embedded server's layers is a folder", () => {
  const rooms = new Set([...graph.keys()].filter((file) => file.startsWith(`${SERVER}/`)).map(serverRoomOf));
  assertEquals([...rooms].sort(), SERVER_LAYERS.flat().toSorted());
});

Deno.test("serverObjection refuses an upward import, another room's insides, and a folder without a row", () => {
  const why = (from: string, to: string) => serverObjection(`${SERVER}/${from}`, `${SERVER}/${to}`);
  assertEquals(why("decoding/a.ts", "handlers/mod.ts"), "it is not a lower layer");
  assertEquals(why("handlers/a.ts", "decoding/yaml.ts"), "it is not the room's mod.ts");
  assertEquals(why("extras/a.ts", "base/mod.ts"), "extras has no row");
  assertEquals(why("handlers/a.ts", "decoding/mod.ts"), undefined);
});
