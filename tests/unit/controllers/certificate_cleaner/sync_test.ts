import { assertEquals } from "@std/assert";
import { formatTime } from "../../../../src/api/mod.ts";
import { FakeWorld } from "../../../../src/base/mod.ts";
import type { Client } from "../../../../src/client/mod.ts";
import { clean } from "../../../../src/controllers/certificate_cleaner/actions.ts";
import { reasonToDelete } from "../../../../src/controllers/certificate_cleaner/sync.ts";
import { testAuthority } from "../certificates/signing_rig.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const NOW_MS = Date.UTC(2026, 5, 1);

const VALID = (await testAuthority({ nowMs: NOW_MS })).pem;
const EXPIRED = (await testAuthority({ nowMs: NOW_MS, validForMs: -1000 })).pem;

type Conditions = Readonly<Record<string, number>>;
type Row = readonly [createdMs: number, certificate: string, conditions: Conditions, isDeleted: boolean];
const ROWS: readonly Row[] = [
  [MINUTE_MS, VALID, { Approved: 50 * MINUTE_MS }, false],
  [MINUTE_MS, "", { Approved: 50 * MINUTE_MS }, false],
  [MINUTE_MS, VALID, { Approved: 2 * HOUR_MS }, true],
  [MINUTE_MS, "", { Denied: 50 * MINUTE_MS }, false],
  [MINUTE_MS, "", { Denied: 2 * HOUR_MS }, true],
  [MINUTE_MS, "", { Approved: 2 * HOUR_MS, Failed: 50 * MINUTE_MS }, false],
  [MINUTE_MS, "", { Approved: 2 * HOUR_MS, Failed: 2 * HOUR_MS }, true],
  [5 * HOUR_MS, "", {}, false],
  [25 * HOUR_MS, "", {}, true],
  [MINUTE_MS, "", { Approved: 25 * HOUR_MS }, true],
  [MINUTE_MS, "", { Approved: 5 * HOUR_MS }, false],
  [MINUTE_MS, EXPIRED, { Approved: 50 * MINUTE_MS }, true],
  [MINUTE_MS, "garbage", { Approved: 2 * HOUR_MS }, true],
  [MINUTE_MS, "garbage", { Approved: 50 * MINUTE_MS }, false],
  [MINUTE_MS, "", { Approved: HOUR_MS }, false],
  [24 * HOUR_MS, "", {}, false],
  [99 * HOUR_MS, "", { Other: 99 * HOUR_MS }, false],
  [99 * HOUR_MS, EXPIRED, { Other: 99 * HOUR_MS }, false],
];

for (const [i, [createdMs, certificate, conditions, isDeleted]] of ROWS.entries()) {
  Deno.test(`reasonToDelete: row ${i + 1}: ${JSON.stringify(conditions)}: ${isDeleted ? "deleted" : "kept"}`, () => {
    const ago = (ms: number) => formatTime(NOW_MS - ms);
    const request = {
      metadata: { name: "r", creationTimestamp: ago(createdMs) },
      spec: { request: "", signerName: "a/b" },
      status: {
        certificate: btoa(certificate),
        conditions: Object.entries(conditions).map(([type, ms]) => ({ type, status: "True", lastUpdateTime: ago(ms) })),
      },
    };
    assertEquals(reasonToDelete(request, NOW_MS) !== undefined, isDeleted);
  });
}

// The API server serves a time that nobody has set as null.
for (const never of [undefined, null as unknown as undefined]) {
  Deno.test(`reasonToDelete: what happened at ${never} never ages`, () => {
    const spec = { request: "", signerName: "a/b" };
    const status = { conditions: [{ type: "Denied", status: "True", lastUpdateTime: never }] };
    assertEquals(reasonToDelete({ metadata: { creationTimestamp: formatTime(0) }, spec, status }, NOW_MS), undefined);
    assertEquals(reasonToDelete({ metadata: { creationTimestamp: never }, spec }, NOW_MS), undefined);
  });
}

Deno.test("clean: a request whose time cannot be read is logged, and left alone", async () => {
  const world = new FakeWorld();
  const deleted: string[] = [];
  const client = {
    delete: (_: unknown, { name }: { name: string }) => {
      deleted.push(name);
      return Promise.resolve(undefined);
    },
  } as unknown as Client;
  const spec = { request: "", signerName: "a/b" };
  for (const [name, creationTimestamp] of [["odd", "soon"], ["old", formatTime(0)]]) {
    await clean({ metadata: { name, creationTimestamp }, spec }, NOW_MS, { client, log: world.log });
  }
  assertEquals(deleted, ["old"]);
  const told = world.log.lines.map(({ message, fields }) => `${message} ${fields?.csr}`);
  assertEquals(told.filter((line) => line.startsWith("Error")), ["Error while attempting to clean CSR odd"]);
});
