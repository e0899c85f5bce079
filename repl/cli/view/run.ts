/** `machpause view`: a page in a file, or a viewer in a browser. */
import { escape, safe } from "../../../lib/escape.ts";
import { demangle, loadDemangler } from "../../../lib/symbols/demangle/mod.ts";
import { UserError } from "../../errors.ts";
import { complain, print } from "../../view/output.ts";
import { outputTo } from "../../view/output_file.ts";
import { handlerFor, type Page, randomToken, type Site } from "../../../lib/symbol_server/mod.ts";
import { listen } from "../serve/listen.ts";
import type { ViewOptions } from "./options.ts";
import { profileOf } from "./moment.ts";
import { readViewed } from "./read.ts";
import type { Viewed } from "./viewed.ts";

/** Runs the command.
 *
 * @returns the exit code
 * @throws UserError for a wrong combination of options
 */
export async function view(names: readonly string[], options: ViewOptions): Promise<number> {
  const { out, page = false, speedscope = false, firefox = false } = options;
  if (Number(page) + Number(speedscope) + Number(firefox) > 1) {
    throw new UserError("--page, --speedscope and --firefox exclude each other", 2);
  }
  if (out !== undefined && (speedscope || firefox)) {
    throw new UserError("-o writes the page: it does not go with --speedscope or --firefox", 2);
  }
  await loadDemangler();
  const viewed = await readViewed(names, options);
  if (out !== undefined) {
    using sink = outputTo(out);
    sink.write(new TextEncoder().encode(await pageOf(viewed)));
    sink.commit();
    return 0;
  }
  const token = randomToken();
  if (firefox) return await showFirefox(viewed, token, options);
  const asPage = page || !speedscope && "tasks" in viewed;
  const { speedscopePages, speedscopePath } = await import("./speedscope.ts");
  const pages = asPage
    ? new Map<string, Page>([["/", { body: await pageOf(viewed), type: "text/html" }]])
    : await speedscopePages(profileOf(viewed));
  const path = asPage ? "/" : speedscopePath(token, viewed.head.title);
  return await show({ token, pages }, (base) => `${base}${path}`, options);
}

async function pageOf(viewed: Viewed): Promise<string> {
  const [{ pageOfProfile, pageOfStacks }, { pageHtml }] = await Promise.all([
    import("../../page/data.ts"),
    import("../../page/write.ts"),
  ]);
  return pageHtml(
    "tasks" in viewed
      ? pageOfStacks(viewed.tasks, viewed.head, demangle, viewed)
      : pageOfProfile(viewed.profile, viewed.head, demangle),
  );
}

/** Serves the profile and its symbols to the Firefox Profiler, whose page is Mozilla's. */
async function showFirefox(viewed: Viewed, token: string, options: ViewOptions): Promise<number> {
  const [{ writeProfile }, { openSymbolServer }] = await Promise.all([
    import("../../../lib/profile/formats.ts"),
    import("../../../ffi/symbol_server.ts"),
  ]);
  const { symbols = [], source = [] } = options;
  using server = openSymbolServer({ symbols, sources: source });
  const bytes = await writeProfile(profileOf(viewed), { format: "firefox", gzip: true });
  const body = new Uint8Array(bytes);
  const profile = { body, type: "application/json", gzip: true, shared: true };
  const site = { token, pages: new Map([["/profile.json", profile]]), api: server };
  // As samply has it.
  const address = (base: string) =>
    `https://profiler.firefox.com/from-url/${encodeURIComponent(`${base}/profile.json`)}/` +
    `?symbolServer=${encodeURIComponent(base)}`;
  return await show(site, address, options);
}

/** Serves a site and opens an address in a browser, until Ctrl-C. */
async function show(
  site: Site,
  address: (base: string) => string,
  { port, open = true }: ViewOptions,
): Promise<number> {
  const { origin, finished } = listen(handlerFor(site), port === undefined ? {} : { port });
  const url = address(`${origin}/${site.token}`);
  print(safe`${escape(url)}\nCtrl-C ends it.\n`);
  // Some browsers run in the terminal for as long as they are open.
  const opened = open ? openBrowser(url) : Promise.resolve(true);
  opened.then((done) => {
    if (!done) complain(safe`no browser could be opened: open the address in one`);
  });
  await finished;
  return 0;
}

/** Opens an address in the person's browser.
 *
 * @returns whether that worked
 */
async function openBrowser(url: string): Promise<boolean> {
  const command = Deno.build.os === "darwin" ? "open" : "xdg-open";
  try {
    const quiet = { stdin: "null", stdout: "null", stderr: "null" } as const;
    return (await new Deno.Command(command, { args: [url], ...quiet }).spawn().status).success;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
