/**
 * Makes a folder anew: `make` fills one beside it, which takes its place once it is whole.
 *
 * @throws {Error} What `make` throws; the folder is then as it was.
 */
export async function replaceFolder(folder: string, make: (beside: string) => Promise<void>): Promise<void> {
  const [made, old] = [`${folder}.new`, `${folder}.old`];
  // Who was killed left it behind.
  await remove(made);
  await Deno.mkdir(made);
  try {
    await make(made);
  } catch (error) {
    await remove(made);
    throw error;
  }
  await remove(old);
  await unlessMissing(Deno.rename(folder, old));
  await Deno.rename(made, folder);
  await remove(old);
}

function remove(path: string): Promise<void> {
  return unlessMissing(Deno.remove(path, { recursive: true }));
}

async function unlessMissing(done: Promise<void>): Promise<void> {
  await done.catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  });
}
