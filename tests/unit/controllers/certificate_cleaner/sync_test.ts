import { assertEquals } from "@std/assert";
import { formatTime } from "../../../../src/api/mod.ts";
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

Deno.test("reasonToDelete: a condition without a time never ages", () => {
  const status = { conditions: [{ type: "Denied", status: "True" }] };
  const request = { metadata: { creationTimestamp: formatTime(0) }, spec: { request: "", signerName: "a/b" }, status };
  assertEquals(reasonToDelete(request, NOW_MS), undefined);
});
