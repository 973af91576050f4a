import { goQuote } from "../../base/mod.ts";
import { type LabelRequirement, parseLabelSelector, selectorFrom } from "../../api/mod.ts";
import { errorText } from "../running/mod.ts";

/**
 * The selector of a `Scale` in its canonical text. Upstream's client turns every scale into a type of its own and back, and takes
 * only what a LabelSelector can say: `client-go/scale/client.go` (Get), `apimachinery/pkg/apis/meta/v1/helpers.go`
 * (ParseToLabelSelector).
 *
 * @throws {Error} If it cannot be read, or says more; the message is upstream's.
 *
 * @example
 * ```ts
 * import { scaleSelector } from "./mod.ts";
 * import { assertEquals, assertThrows } from "@std/assert";
 *
 * assertEquals(scaleSelector("tier in (b, a), app==web"), "app=web,tier in (a,b)");
 * assertThrows(() => scaleSelector("app!=web"));
 * ```
 */
export function scaleSelector(text: string): string {
  if (text === "") return "";
  try {
    const requirements = requirementsOf(text).map((requirement) => {
      const { operator } = requirement;
      if (operator === "gt" || operator === "lt") {
        throw new Error(`${goQuote(operator)} isn't supported in label selectors`);
      }
      if (operator === "!=") throw new Error(`${goQuote(operator)} is not a valid label selector operator`);
      return operator === "==" ? { ...requirement, operator: "=" as const } : requirement;
    });
    return selectorFrom(requirements).toString();
  } catch (error) {
    throw new Error(
      "received an object from a /scale endpoint which was not convertible to autoscaling Scale: " +
        `failed to parse target selector: ${errorText(error)}`,
      { cause: error },
    );
  }
}

function requirementsOf(text: string): readonly LabelRequirement[] {
  try {
    return parseLabelSelector(text).requirements;
  } catch (error) {
    throw new Error(`couldn't parse the selector string "${text}": ${errorText(error)}`, { cause: error });
  }
}
