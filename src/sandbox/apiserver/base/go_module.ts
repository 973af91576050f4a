/**
 * The source folder of a Go module pinned in `tests/controlplane`, for programs that generate tables from it.
 *
 * @param root The root of the repository.
 * @throws {Error} If Go does not know the module.
 */
export async function goModuleFolder(module: string, root: URL): Promise<string> {
  const command = new Deno.Command("go", {
    args: ["list", "-m", "-f", "{{.Dir}}", module],
    cwd: new URL("tests/controlplane", root),
  });
  const { code, stdout, stderr } = await command.output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes).trim();
  if (code !== 0) {
    throw new Error(`Cannot find the Go module ${module}: ${text(stderr)}; run \`go mod download\` first`);
  }
  return text(stdout);
}
