import { describe } from "../../cloud/mod.ts";
import { BALANCER_CASES, BalancerTrial } from "./balancer_cases.ts";
import { INSTANCE_CASES } from "./instance_cases.ts";
import { ROUTE_CASES, RouteTrial } from "./route_cases.ts";
import type { CloudTestbed, CloudTestCase } from "./testbed.ts";
import { expect, expectEqual, incomplete, openTrial, type Trial } from "./trial.ts";

/**
 * Test cases for everything that controllers rely on in a cloud provider. Each case opens its own provider and passes
 * frozen arguments, so a provider that modifies them fails.
 *
 * @example
 * ```ts
 * import { cloudConformance, type CloudTestbed, objects } from "kubeloop/testing";
 *
 * const bed: CloudTestbed = {
 *   open: () => ({
 *     name: "tiny",
 *     hasClusterId: true,
 *     instances: {
 *       instanceExists: async ({ metadata, spec }) => {
 *         if (spec?.providerID && !/^tiny:..[^/]/.test(spec.providerID)) throw new Error("not mine");
 *         return spec?.providerID === "tiny://one" || metadata?.name === "one";
 *       },
 *       instanceShutdown: async () => false,
 *       instanceMetadata: async ({ metadata }) => metadata?.name === "one" ? { providerID: "tiny://one" } : null,
 *     },
 *   }),
 *   instances: { running: objects.node("one"), absent: objects.node("two") },
 * };
 * for (const { run } of cloudConformance(bed)) await run();
 * ```
 */
export function cloudConformance(bed: CloudTestbed): readonly CloudTestCase[] {
  const { balancers, instances, routes } = bed;
  const testCase = (name: string, run: (trial: Trial) => Promise<void> | void): CloudTestCase => ({
    name,
    run: async () => await run(await openTrial(bed)),
  });
  const cases = [
    testCase("a provider says what it is and does, and does not change that", (trial) => aboutItself(trial, bed)),
  ];
  if (balancers) {
    for (const [name, run] of Object.entries(BALANCER_CASES)) {
      cases.push(testCase(name, (trial) => run(new BalancerTrial(trial, balancers))));
    }
  }
  if (instances) {
    for (const [name, run] of Object.entries(INSTANCE_CASES)) {
      cases.push(testCase(name, (trial) => run(trial, instances)));
    }
  }
  if (routes) {
    for (const [name, run] of Object.entries(ROUTE_CASES)) {
      cases.push(testCase(name, (trial) => run(new RouteTrial(trial, routes))));
    }
  }
  return cases;
}

async function aboutItself({ provider, original }: Trial, bed: CloudTestbed): Promise<void> {
  const { balancers, instances, routes } = bed;
  const description = describe(original);
  expect(
    /^[a-z][a-z\d+.-]*$/.test(provider.name),
    `The provider's name is ${JSON.stringify(provider.name)}, and must be the scheme of a URL`,
  );
  expect(typeof original.hasClusterId === "boolean", "hasClusterId is neither true nor false");
  const tried = [balancers && "loadBalancers", instances && "instances", routes && "routes"].filter(Boolean);
  expectEqual(description.capabilities, tried, "The list of what the provider does");
  expectEqual(incomplete(original), [], "The list of methods that it lacks");
  expectEqual(describe(await bed.open()), description, "What a second provider says of itself");
}
