/** A file that `.ci/compile_smoke` has made and names in the environment. */
export function named(variable: string): string {
  const path = Deno.env.get(variable);
  if (!path) throw new Error(`${variable} is not set: .ci/compile_smoke runs these tests`);
  return path;
}

/** The executable under test. */
export const EXECUTABLE = named("KUBELOOP_EXECUTABLE");
