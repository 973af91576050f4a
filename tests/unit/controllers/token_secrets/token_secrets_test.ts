import { assertEquals } from "@std/assert";
import { bytesOf, expiresInMs, isTokenOf, textOf } from "../../../../src/controllers/token_secrets/mod.ts";
import { base64, NOW_MS } from "./rig.ts";

const TYPE = "kubernetes.io/service-account-token";

Deno.test("expiresInMs reads RFC 3339 as Go does, and takes what it cannot read for expired", () => {
  const rows: readonly [string | undefined, number | undefined][] = [
    [undefined, undefined],
    ["", undefined],
    ["2025-12-31T23:00:00Z", 0],
    ["2026-01-01T00:00:00Z", 0],
    ["2026-01-01T01:00:00Z", 3_600_000],
    ["2026-01-01T00:00:02.5Z", 2500],
    ["2026-01-01T01:00:00+01:00", 0],
    ["2025-12-31T23:00:01-01:00", 1000],
    ["2026-03-02T00:00:00Z", 60 * 24 * 3_600_000],
    ["9999-12-31T23:59:59Z", Date.UTC(9999, 11, 31, 23, 59, 59) - NOW_MS],
    ["garbage", 0],
    ["2030-01-01", 0],
    ["2030-01-01T00:00:00", 0],
    ["2030-02-30T00:00:00Z", 0],
    [" 2030-01-01T00:00:00Z", 0],
  ];
  for (const [expiration, leftMs] of rows) {
    assertEquals(expiresInMs({ data: base64({ expiration }) }, NOW_MS), leftMs, String(expiration));
  }
});

Deno.test("textOf: a byte order mark is part of the text, and malformed base64 is nothing", () => {
  assertEquals(textOf({ data: { a: btoa("\u00ef\u00bb\u00bfx") } }, "a"), "\ufeffx");
  assertEquals(textOf({ data: { a: "%" } }, "a"), "");
  assertEquals(bytesOf({ data: { a: "/wA=" } }, "a"), new Uint8Array([255, 0]));
  assertEquals([textOf({}, "a"), textOf({ data: {} }, "constructor")], ["", ""]);
});

Deno.test("isTokenOf goes by type, name and, where a Secret says one, UID", () => {
  const account = { name: "bot", uid: "1" };
  const secret = (name: string, uid?: string, type = TYPE) => ({
    type,
    metadata: {
      annotations: {
        "kubernetes.io/service-account.name": name,
        ...uid === undefined ? {} : { "kubernetes.io/service-account.uid": uid },
      },
    },
  });
  assertEquals(
    [
      secret("bot"),
      secret("bot", ""),
      secret("bot", "1"),
      secret("bot", "2"),
      secret("bo"),
      secret("bot", "1", "Opaque"),
      { type: TYPE },
    ].map((each) => isTokenOf(each, account)),
    [true, true, true, false, false, false, false],
  );
});
