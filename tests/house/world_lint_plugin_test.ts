import { assertEquals } from "@std/assert";
import plugin from "./world_lint_plugin.ts";

const FORBIDDEN = [
  "Date.now();",
  "new Date();",
  "Math.random();",
  "performance.now();",
  "crypto.randomUUID();",
  "setTimeout(() => {}, 1);",
  "setInterval(() => {}, 1);",
  "fetch('http://127.0.0.1');",
  "AbortSignal.timeout(1);",
];

Deno.test("world-only reports every way around World in src", () => {
  for (const source of FORBIDDEN) {
    const found = Deno.lint.runPlugin(plugin, "/kubeloop/src/cache/x.ts", source);
    assertEquals(found.map((diagnostic) => diagnostic.id), ["kubeloop/world-only"], source);
  }
});

Deno.test("world-only leaves the doors, tests, and dates made from a given time alone", () => {
  for (const file of ["src/base/clock.ts", "src/client/http_transport.ts", "tests/unit/x_test.ts"]) {
    assertEquals(Deno.lint.runPlugin(plugin, `/kubeloop/${file}`, "setTimeout(() => {}, 1);"), [], file);
  }
  assertEquals(Deno.lint.runPlugin(plugin, "/kubeloop/src/api/time.ts", "new Date(wallMs).toISOString();"), []);
});
