import { assert, assertEquals, assertInstanceOf } from "@std/assert";
import fc from "../fast_check.ts";
import { FakeClock } from "../../src/base/mod.ts";
import { encodeQuery } from "../../src/client/call.ts";
import { ConfigError, mergeKubeconfigs, parseKubeconfig, TokenBucket } from "../../src/client/mod.ts";

Deno.test("TokenBucket lets no more than burst + qps x seconds pass in any stretch of time, and keeps the order", async () => {
  const step = fc.record({ waitMs: fc.integer({ min: 0, max: 400 }), asks: fc.integer({ min: 0, max: 8 }) });
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 50 }),
      fc.integer({ min: 1, max: 20 }),
      fc.array(step, { maxLength: 12 }),
      async (qps, burst, steps) => {
        const clock = new FakeClock();
        const bucket = new TokenBucket(clock, { qps, burst });
        const passedMs: number[] = [];
        for (const { waitMs, asks } of steps) {
          await clock.advance(waitMs);
          for (let i = 0; i < asks; i++) passedMs.push(clock.monotonicMs() + bucket.reserveMs());
        }
        for (let i = 0; i < passedMs.length; i++) {
          if (i > 0) assert(passedMs[i] >= passedMs[i - 1] - 1e-6);
          for (let j = i; j < passedMs.length; j++) {
            const seconds = (passedMs[j] - passedMs[i]) / 1000;
            assert(j - i + 1 <= burst + qps * seconds + 1e-6);
          }
        }
      },
    ),
    { numRuns: 60 },
  );
});

Deno.test("encodeQuery writes what a URL parser reads back", () => {
  const value = fc.oneof(fc.string({ unit: "grapheme" }), fc.integer(), fc.boolean(), fc.constant(undefined));
  fc.assert(fc.property(fc.dictionary(fc.string({ minLength: 1 }), value), (query) => {
    const read = new URL(`http://h/${encodeQuery(query)}`).searchParams;
    const given = Object.entries(query).filter(([, one]) => one !== undefined && one !== "");
    assertEquals([...read].sort(), given.map(([key, one]) => [key, String(one)]).sort());
  }));
});

Deno.test("parseKubeconfig reads anything or throws ConfigError in one line, and what it reads can be merged", () => {
  const name = fc.constantFrom("a", "b");
  const junk = fc.jsonValue({ maxDepth: 2 });
  const entry = (field: string, keys: readonly string[]) =>
    fc.oneof(
      junk,
      fc.record({
        name: fc.oneof(name, junk),
        [field]: fc.oneof(junk, fc.dictionary(fc.constantFrom(...keys), fc.oneof(fc.string(), fc.boolean(), junk))),
      }),
    );
  const file = fc.record({
    "current-context": fc.oneof(name, junk),
    clusters: fc.oneof(
      junk,
      fc.array(entry("cluster", ["server", "certificate-authority-data", "extensions"]), { maxLength: 3 }),
    ),
    users: fc.oneof(junk, fc.array(entry("user", ["token", "exec", "as-groups", "as-user-extra"]), { maxLength: 3 })),
    contexts: fc.oneof(junk, fc.array(entry("context", ["cluster", "user"]), { maxLength: 3 })),
  }, { requiredKeys: [] });
  const text = fc.oneof(
    file.map((value) => JSON.stringify(value)),
    fc.string(),
    fc.constantFrom("a: [", "- - -", "&a *a"),
  );
  fc.assert(fc.property(text, (one) => {
    try {
      const config = parseKubeconfig(one, "/config");
      const merged = mergeKubeconfigs([config, config]);
      assertEquals(merged.currentContext, config.currentContext);
      assertEquals([...merged.clusters.keys()].sort(), [...config.clusters.keys()].sort());
    } catch (error) {
      assertInstanceOf(error, ConfigError);
      const { message } = error as ConfigError;
      assert(message.startsWith("/config: ") && !message.includes("\n"), message);
    }
  }));
});
