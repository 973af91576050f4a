/**
 * Tells the story to a manager and prints what it did: `deno run -A record_hcloud_story.ts EXECUTABLE > hcloud_story.json` for the
 * vendor's, which is built from `github.com/hetznercloud/hcloud-cloud-controller-manager` with `go build`; ours without an argument.
 */
import { Story } from "./hcloud_story.ts";

if (import.meta.main) {
  await using story = await Story.begin();
  story.start(Deno.args[0]);
  const say = (step: string) => void Deno.stderr.writeSync(new TextEncoder().encode(`${step}\n`));
  const records = await story.tell(say).catch((error) => {
    say(story.output);
    throw error;
  });
  await new Blob([`${JSON.stringify(records, null, 2)}\n`]).stream().pipeTo(Deno.stdout.writable);
}
