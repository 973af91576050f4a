import { assertEquals } from "@std/assert";
import { exchangeOf } from "../../../src/client/mod.ts";

/** What the lean form of a transport makes of a body, of which the caller wants four bytes at most. */
async function taken(body: string, headers: Record<string, string>) {
  const exchange = exchangeOf(() => Promise.resolve(new Response(body, { headers })));
  const response = await exchange({ method: "GET", url: "http://server/", headers: {} });
  const text = await response.text(4);
  return { text, isCut: response.isCut, bodyBytes: response.bodyBytes };
}

Deno.test("exchangeOf takes a body whole that says it is short enough", async () => {
  assertEquals(await taken("né", { "content-length": "3" }), { text: "né", isCut: false, bodyBytes: 3 });
  assertEquals(await taken("", { "content-length": "0" }), { text: "", isCut: false, bodyBytes: 0 });
});

Deno.test("exchangeOf cuts a body that is too long, whatever it says", async () => {
  const rows: readonly Record<string, string>[] = [
    {},
    { "content-length": "6" },
    { "content-length": "many" },
    { "content-length": "-1" },
    { "content-length": "2", "content-encoding": "gzip" },
  ];
  for (const headers of rows) {
    assertEquals(await taken("abcdef", headers), { text: "abcd", isCut: true, bodyBytes: 6 }, JSON.stringify(headers));
  }
});
