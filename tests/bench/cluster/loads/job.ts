import { JOBS } from "../../../../src/api/mod.ts";
import { eventually } from "../../../controlplane/process.ts";
import { isTrue, job } from "../../../scenarios/job_kit.ts";
import { InstantPods } from "./instant_pods.ts";
import { makeNamespace, PATIENCE } from "./kit.ts";
import type { Load } from "./load.ts";

const NAMESPACE = "job";
const INDEXES = 5_000;
const PARALLELISM = 500;

/** One large Job whose pods succeed at once. */
export const JOB: Load = {
  name: "job",
  description: `one Indexed Job of ${INDEXES} at parallelism ${PARALLELISM}, its pods succeed at once`,
  controllers: ["job-controller"],
  prepare: ({ client }) => makeNamespace(client, NAMESPACE),
  async run({ client }) {
    await using _pods = InstantPods.start(client, NAMESPACE);
    const spec = { completionMode: "Indexed", completions: INDEXES, parallelism: PARALLELISM };
    await client.create(JOBS, job("large", spec), { namespace: NAMESPACE });
    const read = () => client.get(JOBS, { namespace: NAMESPACE, name: "large" });
    await eventually("the Job is complete", async () => isTrue("Complete")(await read()), PATIENCE);
  },
};
