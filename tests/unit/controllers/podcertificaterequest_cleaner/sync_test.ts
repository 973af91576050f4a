import { assertEquals } from "@std/assert";
import { isOld } from "../../../../src/controllers/podcertificaterequest_cleaner/sync.ts";

const ROWS = [["00:15:01", false], ["00:14:59", true], ["00:15:00", true]] as const;

for (const [created, expected] of ROWS) {
  Deno.test(`isOld: a request of ${created} is ${expected ? "" : "not "}old at 00:30:00`, () => {
    const metadata = { creationTimestamp: `2026-01-01T${created}Z` };
    const spec = {} as Parameters<typeof isOld>[0]["spec"];
    assertEquals(isOld({ metadata, spec }, Date.parse("2026-01-01T00:30:00Z")), expected);
  });
}
