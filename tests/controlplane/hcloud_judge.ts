import { goProgram } from "./go_program.ts";

/** Where the program is that judges the emulator of the Hetzner Cloud API with the vendor's client library. */
export function hcloudJudge(say?: (line: string) => void): Promise<string> {
  return goProgram({
    folder: "hcloudjudge",
    sources: ["hcloudjudge/main.go", "hcloudjudge/go.mod"],
    isModule: true,
  }, say);
}

// deno-lint-ignore no-console -- it is there to print
if (import.meta.main) console.log(await hcloudJudge(console.error));
