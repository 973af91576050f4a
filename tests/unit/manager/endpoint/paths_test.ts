import { assertEquals, assertStringIncludes } from "@std/assert";
import { ASKERS, ODD_REQUESTS } from "./paths.ts";
import { EndpointRig } from "./rig.ts";

const TOKENS = { nobody: undefined, scraper: "good", operator: "root" } as const;

Deno.test("serveEndpoint answers odd paths and methods as upstream does, and nobody sees more by them", async () => {
  await using rig = await EndpointRig.start();
  for (const [line, statuses, location] of ODD_REQUESTS) {
    for (const [i, who] of ASKERS.entries()) {
      const answer = await rig.askRaw(line, TOKENS[who]);
      assertEquals(answer.status, statuses[i], `${line} by ${who}`);
      if (answer.status === 302) assertEquals(answer.header("location"), location);
    }
  }
});

Deno.test("serveEndpoint asks the API server about the path as Go's servers read it, and refuses in their words", async () => {
  await using rig = await EndpointRig.start();
  const cases: [line: string, path: string, verb: string, quoted: string][] = [
    ["GET /c%6fnfigz?a=%zz", "/configz", "get", '"/configz"'],
    ["GET /%2f..//configz", "//..//configz", "get", '"//..//configz"'],
    ["GET /configz%00", "/configz\0", "get", '"/configz\\x00"'],
    ["GET /configz#x", "/configz#x", "get", '"/configz#x"'],
    ["GET http://x", "", "get", '""'],
    ["GET *", "*", "get", '"*"'],
    ["TRACE /configz", "/configz", "trace", '"/configz"'],
  ];
  for (const [line, path, verb, quoted] of cases) {
    const { status, body } = await rig.askRaw(line, "good");
    assertEquals(status, 403, line);
    assertEquals(rig.reviews.at(-1)!.spec.nonResourceAttributes, { path, verb }, line);
    const { message } = JSON.parse(body);
    assertEquals(message, `forbidden: User "jane" cannot ${verb} path ${quoted}`, line);
  }
});

Deno.test("--authorization-always-allow-paths means paths as they are read, with or without their first slash", async () => {
  await using rig = await EndpointRig.start({ flags: ["--authorization-always-allow-paths=a b,metri*"] });
  for (const [line, status] of [["GET /a%20b", 404], ["GET /m%65trics", 200], ["GET //metrics", 403]] as const) {
    assertEquals((await rig.askRaw(line)).status, status, line);
  }
});

Deno.test("serveEndpoint logs the target of a request as it was written", async () => {
  await using rig = await EndpointRig.start();
  await rig.askRaw("GET /%68ealthz/..?a=%zz", "root");
  const { fields } = rig.world.log.lines.find(({ message }) => message === "HTTP")!;
  assertStringIncludes(String(fields.URI), "/%68ealthz/..?a=%zz");
});
