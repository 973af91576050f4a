import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { type Chain, chainOf, chainText, type SyncNode } from "../../../../src/manager/journal/mod.ts";
import { journals, sync } from "./fixtures.ts";

const POD = { kind: "pod", key: "shop/web-1-a" };

/** A sync with what led to it, as nested text. */
function told(node: SyncNode): string {
  const causes = node.causes.map(({ text, origin }) => {
    switch (origin.type) {
      case "write":
        return `${text} <- ${told(origin.by)}`;
      case "failure":
        return `${text} <- ${told(origin.of)}`;
      case "shown":
        return `${text} <- ${origin.id}`;
      default:
        return `${text} <- ${origin.type}`;
    }
  });
  return `${node.id} (${causes.join("; ")})`;
}

const tellAll = (chain: Chain | undefined) => chain?.syncs.map(told);

const ROLLOUT = {
  one: [
    sync("deployment-controller Deployment shop/web", 100, {
      causes: ["deployment/shop/web updated at 10"],
      writes: ["create ReplicaSet shop/web-1 11", "update Deployment shop/web 12"],
    }),
  ],
  two: [
    sync("replicaset-controller ReplicaSet shop/web-1", 200, {
      causes: ["replicaset/shop/web-1 added at 11"],
      writes: ["create Pod shop/web-1-b 13", "create Pod shop/web-1-a 14"],
    }),
  ],
};

Deno.test("chainOf: a cause leads to the sync that wrote the version it names, across groups", async () => {
  const chain = await chainOf(POD, journals(ROLLOUT));
  assertEquals(tellAll(chain), [
    "two/1 (replicaset/shop/web-1 added at 11 <- one/1 (deployment/shop/web updated at 10 <- outside))",
  ]);
  assertEquals([chain?.recorded, chain?.forgotten, chain?.omitted], [2, 0, 0]);
});

Deno.test("chainOf shows syncs of the object too, and what it led to", async () => {
  const later = sync("replicaset-controller ReplicaSet shop/web-1", 300, {
    causes: ["pod/shop/web-1-a updated at 20"],
    writes: ["update ReplicaSet shop/web-1 21"],
  });
  const ask = journals({ ...ROLLOUT, two: [...ROLLOUT.two, later] });
  assertEquals(tellAll(await chainOf({ kind: "deployment", key: "shop/web" }, ask)), [
    "one/1 (deployment/shop/web updated at 10 <- outside)",
  ]);
  const pod = await chainOf(POD, ask);
  assertEquals(pod?.ledTo.map(({ id }) => id), ["two/2"]);
  assertEquals(await chainOf({ kind: "pod", key: "shop/other" }, ask), undefined);
});

Deno.test("chainOf: a deletion leads to who deleted it, or the whole collection, last", async () => {
  const deletion = (writes: string[], startedMs: number) => sync("x X shop/x", startedMs, { writes });
  const ask = journals({
    "": [
      deletion(["delete Pod shop/web-1-a"], 1),
      deletion(["delete Pod shop/web-1-a"], 2),
      sync("y Y shop/y", 3, { causes: ["pod/shop/web-1-a deleted"], writes: ["update Y shop/y 9"] }),
      deletion(["delete Pod shop/web-1-a"], 4),
      deletion(["deletecollection Secret shop/*"], 5),
      sync("z Z shop/z", 6, { causes: ["secret/shop/s deleted at 50"] }),
    ],
  });
  assertEquals(tellAll(await chainOf({ kind: "y", key: "shop/y" }, ask)), ["3 (pod/shop/web-1-a deleted <- 2 ())"]);
  assertEquals(tellAll(await chainOf({ kind: "z", key: "shop/z" }, ask)), ["6 (secret/shop/s deleted at 50 <- 5 ())"]);
  assertEquals((await chainOf({ kind: "secret", key: "shop/any" }, ask))?.syncs.map(({ id }) => id), ["5"]);
});

Deno.test("chainOf: a retry leads to its failure, and further back", async () => {
  const failing = (startedMs: number, causes: string[]) =>
    sync("x X shop/x", startedMs, { causes, outcome: "retry", error: new Error("no"), nextTryMs: 5 });
  const ask = journals({
    "": [
      failing(1, ["x/shop/x added at 1"]),
      failing(6, ["retry: no"]),
      sync("x X shop/x", 16, { causes: ["retry: no"], writes: ["update X shop/x 2"] }),
    ],
  });
  const chain = await chainOf({ kind: "x", key: "shop/x" }, ask);
  assertEquals(tellAll(chain), ["1 (x/shop/x added at 1 <- outside)", "2 (retry: no <- 1)", "3 (retry: no <- 2)"]);
  const text = chainText(chain!, 1000);
  assertStringIncludes(text, "x synced x/shop/x: failed");
  assertStringIncludes(text, "error: no");
  assertStringIncludes(text, "next try 5 ms later, at 00:00:00.012");
});

Deno.test("chainOf: what comes from a timer or a replay of the cache has no origin", async () => {
  const causes = ["minReadySeconds passed", "x/shop/x resynced at 1"];
  const ask = journals({
    "": [sync("x X shop/x", 1, { writes: ["update X shop/x 1"] }), sync("x X shop/x", 2, { causes })],
  });
  const chain = await chainOf({ kind: "x", key: "shop/x" }, ask);
  assertEquals(tellAll(chain)?.at(-1), "2 (minReadySeconds passed <- none; x/shop/x resynced at 1 <- none)");
});

Deno.test("chainOf: nothing leads to a sync that started later, and the first writer of a version counts", async () => {
  const ask = journals({
    "": [
      sync("x X shop/x", 5, { causes: ["y/shop/y updated at 7"], writes: ["update X shop/x 8"] }),
      sync("late Y shop/y", 6, { writes: ["update Y shop/y 7"] }),
    ],
  });
  assertEquals(tellAll(await chainOf({ kind: "x", key: "shop/x" }, ask)), ["1 (y/shop/y updated at 7 <- outside)"]);
  const twice = journals({
    "": [
      sync("a Y shop/y", 1, { writes: ["update Y shop/y 7"] }),
      sync("b Y shop/y", 2, { writes: ["update Y shop/y 7"] }),
      sync("x X shop/x", 5, { causes: ["y/shop/y updated at 7"], writes: ["update X shop/x 8"] }),
    ],
  });
  assertEquals(tellAll(await chainOf({ kind: "x", key: "shop/x" }, twice)), ["3 (y/shop/y updated at 7 <- 1 ())"]);
});

Deno.test("chainOf: each sync is shown once, where it first appears; later mentions refer to it. So circles end", async () => {
  // All at one time, as a clock that stands still has it: each leads to the other.
  const ask = journals({
    "": [
      sync("x X shop/x", 1, { causes: ["y/shop/y updated at 2"], writes: ["update X shop/x 1"] }),
      sync("y Y shop/y", 1, { causes: ["x/shop/x updated at 1"], writes: ["update Y shop/y 2"] }),
    ],
  });
  assertEquals(tellAll(await chainOf({ kind: "x", key: "shop/x" }, ask)), [
    "1 (y/shop/y updated at 2 <- 2 (x/shop/x updated at 1 <- 1))",
  ]);
});

Deno.test("chainOf: a long chain is cut, and many syncs of one object are the newest", async () => {
  const entries = Array.from(
    { length: 60 },
    (_, i) =>
      sync(`c K${i} shop/k`, i, {
        causes: [`k${i - 1}/shop/k updated at ${i}`],
        writes: [`update K${i} shop/k ${i + 1}`],
      }),
  );
  const chain = await chainOf({ kind: "k59", key: "shop/k" }, journals({ "": entries }));
  const [deep] = tellAll(chain)!;
  assertEquals(deep.split(" <- ").length, 14);
  assert(/<- cut\)+$/.test(deep), deep);

  const same = Array.from({ length: 30 }, (_, i) => sync("c X shop/x", i, { writes: [`update X shop/x ${i}`] }));
  const idle = Array.from({ length: 5 }, (_, i) => sync("c X shop/x", 50 + i));
  const many = await chainOf({ kind: "x", key: "shop/x" }, journals({ "": [...same, ...idle] }));
  assertEquals(many?.syncs.map(({ id }) => Number(id)), [22, 23, 24, 25, 26, 27, 28, 29, 30, 35]);
  assertEquals(many?.omitted, 25);
});

Deno.test("chainText is a tree of syncs with times, writes and causes", async () => {
  const chain = await chainOf(POD, journals(ROLLOUT));
  assertEquals(
    chainText(chain!, Date.UTC(1970, 0, 1, 0, 0, 30)),
    `pod/shop/web-1-a, asked at 1970-01-01 00:00:30.000 UTC

00:00:00.200 (30 s ago) replicaset-controller synced replicaset/shop/web-1: done, waited 0 ms, took 1 ms [two/1]
├─ wrote create pod/shop/web-1-a, now at 14
├─ wrote create pod/shop/web-1-b, now at 13
└─ because replicaset/shop/web-1 added at 11
   └─ 00:00:00.100 (30 s ago) deployment-controller synced deployment/shop/web: done, waited 0 ms, took 1 ms [one/1]
      ├─ wrote create replicaset/shop/web-1, now at 11
      ├─ wrote update deployment/shop/web, now at 12
      └─ because deployment/shop/web updated at 10: by somebody else, as far as the journal goes
`,
  );
});
