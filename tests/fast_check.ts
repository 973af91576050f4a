/**
 * fast-check with one seed for all tests, so that a change is not turned away for a history that nobody has met before.
 * `deno task test:seeds` looks for those; `KUBELOOP_SEED` gives another seed.
 */
import fc from "fast-check";

const given = Deno.env.get("KUBELOOP_SEED") ?? "1";
if (given !== "random") fc.configureGlobal({ seed: Number(given) });

export default fc;
