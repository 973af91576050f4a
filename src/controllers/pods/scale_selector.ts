import { errorText, goQuote, type TurnBudget } from "../../base/mod.ts";
import { type LabelRequirement, labelSelectorSteps, type Selector, selectorFrom } from "../../api/mod.ts";

/** Group versions that have a kind `Scale`. */
export const SCALE_VERSIONS: ReadonlySet<string> = new Set([
  "autoscaling/v1",
  "extensions/v1beta1",
  "apps/v1beta1",
  "apps/v1beta2",
]);

/**
 * The selector of a `Scale`. Upstream's client converts every Scale to its own type and back, and accepts only what a
 * LabelSelector can express: `client-go/scale/client.go` (Get), `apimachinery/pkg/apis/meta/v1/helpers.go`
 * (ParseToLabelSelector).
 *
 * @throws {Error} If it cannot be parsed, or expresses more; the message is upstream's.
 *
 * @example
 * ```ts
 * import { scaleSelector } from "./mod.ts";
 * import { FakeClock, TurnBudget } from "../../base/mod.ts";
 * import { assertEquals, assertRejects } from "@std/assert";
 *
 * const budget = new TurnBudget(new FakeClock());
 * assertEquals(String(await scaleSelector("tier in (b, a), app==web", budget)), "app=web,tier in (a,b)");
 * await assertRejects(() => scaleSelector("app!=web", budget));
 * ```
 */
export async function scaleSelector(text: string, budget: TurnBudget): Promise<Selector> {
  try {
    const requirements = (await requirementsOf(text, budget)).map((requirement) => {
      const { operator } = requirement;
      if (operator === "gt" || operator === "lt") {
        throw new Error(`${goQuote(operator)} isn't supported in label selectors`);
      }
      if (operator === "!=") throw new Error(`${goQuote(operator)} is not a valid label selector operator`);
      return operator === "==" ? { ...requirement, operator: "=" as const } : requirement;
    });
    return selectorFrom(requirements);
  } catch (error) {
    throw new Error(
      "received an object from a /scale endpoint which was not convertible to autoscaling Scale: " +
        `failed to parse target selector: ${errorText(error)}`,
      { cause: error },
    );
  }
}

async function requirementsOf(text: string, budget: TurnBudget): Promise<readonly LabelRequirement[]> {
  try {
    return (await budget.run(labelSelectorSteps(text))).requirements;
  } catch (error) {
    throw new Error(`couldn't parse the selector string "${text}": ${errorText(error)}`, { cause: error });
  }
}
