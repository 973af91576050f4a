import { assertEquals, assertThrows } from "@std/assert";
import {
  maxReplicas,
  maxSurge,
  maxUnavailable,
  minAvailable,
  progressDeadlineSeconds,
  resolveBounds,
  revisionHistoryLimit,
} from "../../../../src/controllers/deployment/bounds.ts";
import { deployment, type DeploymentTraits } from "./fixtures.ts";

const RESOLVED: { args: Parameters<typeof resolveBounds>; surge: number; unavailable: number }[] = [
  { args: ["0%", "0%", 0], surge: 0, unavailable: 1 },
  { args: ["39%", "39%", 10], surge: 4, unavailable: 3 },
  { args: [undefined, undefined, 10], surge: 0, unavailable: 1 },
  { args: ["25%", "25%", 3], surge: 1, unavailable: 0 },
  { args: [1, 0, 10], surge: 1, unavailable: 0 },
];
for (const { args, ...expected } of RESOLVED) {
  Deno.test(`resolveBounds() gives ${JSON.stringify(expected)} for ${args.join(", ")}`, () => {
    assertEquals(resolveBounds(...args), expected);
  });
}

Deno.test("resolveBounds() throws for what is not a percentage", () => {
  assertThrows(() => resolveBounds("oops", "1%", 10), Error, "invalid value for IntOrString");
  assertThrows(() => resolveBounds("1%", "oops", 10), Error, "invalid value for IntOrString");
});

const BOUNDS: { name: string; traits: DeploymentTraits; surge: number; unavailable: number }[] = [
  { name: "percentages", traits: { replicas: 10, maxSurge: "25%", maxUnavailable: "25%" }, surge: 3, unavailable: 2 },
  { name: "no replicas", traits: { replicas: 0, maxSurge: 2, maxUnavailable: 3 }, surge: 2, unavailable: 0 },
  { name: "more unavailable than wanted", traits: { replicas: 2, maxUnavailable: 5 }, surge: 0, unavailable: 2 },
  { name: "both 0", traits: { replicas: 3 }, surge: 0, unavailable: 1 },
  {
    name: "an unreadable value",
    traits: { replicas: 3, maxSurge: "oops", maxUnavailable: 2 },
    surge: 0,
    unavailable: 0,
  },
  { name: "Recreate", traits: { replicas: 3, type: "Recreate" }, surge: 0, unavailable: 0 },
];
for (const { name, traits, surge, unavailable } of BOUNDS) {
  Deno.test(`maxSurge() is ${surge} and maxUnavailable() is ${unavailable} for ${name}`, () => {
    const made = deployment(traits);
    assertEquals(maxSurge(made), surge);
    assertEquals(maxUnavailable(made), unavailable);
    assertEquals(minAvailable(made), traits.replicas! - unavailable);
    assertEquals(maxReplicas(made), traits.replicas! + surge);
  });
}

Deno.test("progressDeadlineSeconds() and revisionHistoryLimit() take the largest number for no limit", () => {
  for (const [value, expected] of [[undefined, undefined], [2147483647, undefined], [0, 0], [600, 600]]) {
    assertEquals(progressDeadlineSeconds(deployment({ progressDeadlineSeconds: value })), expected);
    assertEquals(revisionHistoryLimit(deployment({ revisionHistoryLimit: value })), expected);
  }
});
