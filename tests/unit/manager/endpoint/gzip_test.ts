import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { FakeClock } from "../../../../src/base/mod.ts";
import { gzipped } from "../../../../src/manager/endpoint/gzip.ts";
import { acceptEncoding, CODINGS, LINES } from "./codings.ts";
import { EndpointRig } from "./rig.ts";

Deno.test("serveEndpoint answers metrics by gzip to whom upstream does", async () => {
  await using rig = await EndpointRig.start();
  for (const path of ["/metrics", "/metrics/slis"]) {
    for (const [values, isGzip] of CODINGS) {
      const answer = await rig.askRaw(`GET ${path}`, "root", acceptEncoding(values));
      const said = `${path} for ${JSON.stringify(values)}`;
      assertEquals([answer.status, answer.header("content-encoding")], [200, isGzip ? "gzip" : undefined], said);
      assertEquals(answer.header("content-type"), "text/plain; version=0.0.4; charset=utf-8; escaping=underscores");
      assertEquals(answer.header("vary"), undefined, said);
    }
  }
});

Deno.test("serveEndpoint answers nothing but metrics by gzip, whatever the method", async () => {
  await using rig = await EndpointRig.start();
  for (const [line, isGzip] of LINES) {
    const answer = await rig.askRaw(line, "root", acceptEncoding(["gzip"]));
    assertEquals(answer.header("content-encoding"), isGzip ? "gzip" : undefined, line);
    if (line.startsWith("HEAD")) assertEquals([answer.body, Number(answer.header("content-length")) > 20], ["", true]);
  }
});

Deno.test("serveEndpoint's metrics are the same text by gzip, smaller", async () => {
  await using rig = await EndpointRig.start();
  const syncs = rig.metrics.counter({ name: "syncs_total", help: "Syncs: ä, €, 𝄞.", labels: ["name"] });
  for (let i = 0; i < 5000; i++) syncs.inc([`n${i}`], i);
  // `fetch` unpacks what comes by gzip.
  const { text } = await rig.ask("/metrics", { headers: { "accept-encoding": "gzip" } });
  assertStringIncludes(text, "# HELP syncs_total [ALPHA] Syncs: ä, €, 𝄞.\n");
  assertEquals(text.match(/^syncs_total\{name="n\d+"\} \d+$/gm)?.length, 5000);
  const sizes = await Promise.all(
    ["identity", "gzip"].map(async (coding) =>
      Number((await rig.askRaw("HEAD /metrics", "root", acceptEncoding([coding]))).header("content-length"))
    ),
  );
  assert(sizes[1] > 1000 && sizes[1] < sizes[0] / 4, `${sizes}`);
});

Deno.test("serveEndpoint keeps nothing of who asks for metrics by gzip and leaves", async () => {
  await using rig = await EndpointRig.start();
  const syncs = rig.metrics.counter({ name: "syncs_total", help: "Syncs.", labels: ["name"] });
  for (let i = 0; i < 20_000; i++) syncs.inc([`n${i}`], i);
  for (let i = 0; i < 5; i++) await rig.askAndLeave("GET /metrics", "root", acceptEncoding(["gzip"]));
  const { status, text } = await rig.ask("/metrics", { headers: { "accept-encoding": "gzip" } });
  assertEquals([status, text.includes('syncs_total{name="n19999"} 19999\n')], [200, true]);
});

Deno.test("gzipped lets the event loop turn between pieces, and stops when its reader does", async () => {
  let turns = 0;
  let turn: Promise<void> | undefined;
  const clock = Object.assign(new FakeClock(), {
    nextTurn: () => {
      turns++;
      return turn = new Promise((resolve) => setTimeout(resolve));
    },
  });
  const text = Array.from({ length: 50_000 }, (_, i) => `syncs_total{name="n${i}"} ${i}\n`).join("");
  const pieces = Math.ceil(text.length / 65_536);
  assert(pieces > 10);
  const whole = gzipped(text, clock).pipeThrough(new DecompressionStream("gzip"));
  assertEquals(await new Response(whole).text() === text, true);
  assert(turns >= pieces - 1, `${turns} turns for ${pieces} pieces`);

  turns = 0;
  const reader = gzipped(text, clock).getReader();
  await reader.read();
  await reader.cancel();
  await turn;
  assert(turns < 5, `${turns} turns although nobody reads`);
});
