//! The book in `docs/book`: what its pages claim is so.
//!
//! | file | claim |
//! |---|---|
//! | `page` | a page as data: blocks of code, pictures, links, headings |
//! | `session` | its commands, run in an empty directory, print what the page shows, and draw its pictures |
//! | `output` | an excerpt of an output, `…` for what is left out |
//! | `picture` | two drawings that look the same |
//! | `links` | every link leads somewhere, every page is in the table of contents |
//! | `reference` | the generated pages, and that codes, options and keys of JSON are all in them |
//! | `gallery` | each model of the gallery has picture, source, and what other tools did with it |
//! | `html` | `mdbook` makes a site of it, where it is installed |
//!
//! What a page may contain:
//!
//! - A block that begins with a comment of nothing but a file name (`// Diode.mo`, `# sweep.py`) is that file.
//! - A block of Modelica or MEL without one is an excerpt of a file of the same page.
//! - In a `console` block, lines behind `$ ` are commands, run one after the other in the directory of the page, where `models` is
//!   that of the repository; a `\` at the end goes on in the next line. Lines below a command are what it prints, `…` for what
//!   is left out, in a line or between lines. A command without such lines may print anything. Every command succeeds,
//!   or `$ echo $?` below it says with which status it does not.
//! - `console,needs=X` is run where X is there, and skipped with a message elsewhere: `msl`, where `MODELICAPATH` leads to the Modelica
//!   Standard Library; `python-NAME`, where the Python that `MODESHIFT_PYTHON` names, or else `python3`, has this module;
//!   `fmi-library`, where the engine of FMUs is beside the program or `MODESHIFT_FMI_LIBRARY` names it. Several are joined by `+`.
//! - `console,by=FILE` is run by that script of the repository, which contains each of its commands.
//! - A picture is drawn by a command of its page.
//!
//! `UPDATE_EXPECT=1` draws pictures and writes outputs anew, those without `…`.

mod gallery;
mod html;
mod links;
mod output;
mod page;
mod picture;
mod reference;
mod session;
