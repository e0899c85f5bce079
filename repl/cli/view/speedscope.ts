/** speedscope's own viewer, from its npm package: https://github.com/jlfwong/speedscope */
import type { Profile } from "../../../lib/profile/mod.ts";
import { writeProfile } from "../../../lib/profile/formats.ts";
import type { Page } from "../../../lib/symbol_server/mod.ts";

const types: Readonly<Record<string, string>> = {
  html: "text/html",
  js: "text/javascript",
  css: "text/css",
  png: "image/png",
  ico: "image/x-icon",
  woff2: "font/woff2",
  wasm: "application/wasm",
};

/** The viewer's released pages and the profile. */
export async function speedscopePages(profile: Profile): Promise<Map<string, Page>> {
  const bytes = await writeProfile(profile, { format: "speedscope", gzip: false });
  const pages = new Map<string, Page>([
    ["/profile.json", { body: new Uint8Array(bytes), type: "application/json" }],
  ]);
  const folder = await releaseFolder();
  for (const { name, isFile } of Deno.readDirSync(folder)) {
    const type = types[name.slice(name.lastIndexOf(".") + 1)];
    if (!isFile || type === undefined) continue;
    pages.set(`/speedscope/${name}`, { body: Deno.readFileSync(`${folder}/${name}`), type });
  }
  return pages;
}

/** The path of the viewer, below the token, that opens the profile. */
export function speedscopePath(token: string, title: string): string {
  const profile = encodeURIComponent(`/${token}/profile.json`);
  return `/speedscope/index.html#profileURL=${profile}&title=${encodeURIComponent(title)}`;
}

/** The package's folder with the pages. The import brings the package here when it is not yet. */
async function releaseFolder(): Promise<string> {
  await import("speedscope/package.json", { with: { type: "json" } });
  // deno-lint-ignore no-process-global
  const { createRequire } = process.getBuiltinModule("node:module");
  const { url } = import.meta;
  const require = createRequire(url.startsWith("file:") ? url : "file:///");
  return require.resolve("speedscope/dist/release/index.html").replace(/\/index\.html$/, "");
}
