import { goProgram } from "./go_program.ts";

/**
 * The cloud-controller-manager of upstream's framework that ours is compared with. It is built in seconds after kube-controller-manager,
 * since it is made of the same parts; what else is tested does not wait for it.
 *
 * @returns Where it is.
 */
export function cloudJudge(say?: (line: string) => void): Promise<string> {
  return goProgram({
    folder: "cloudjudge",
    sources: ["cloudjudge/main.go", "cloudjudge/carrier.go", "cloudjudge/ipam.go", "cloudjudge/provider.go", "go.mod"],
    // Objects are owned by who has this name.
    name: "cloud-controller-manager",
  }, say);
}

// deno-lint-ignore no-console -- it is there to print
if (import.meta.main) console.log(await cloudJudge(console.error));
