//! What shells and `man` want to know of the command line: completions and the manual page, from the arguments themselves.

use std::fmt::Write as _;

use clap::{Arg, Command, CommandFactory as _, ValueEnum};
use modeshift_diagnostics::ExitStatus;

use crate::arguments::Arguments;
use crate::commands::UsageError;
use crate::files::write_result;

/// Shells whose completions are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs)]
pub enum Shell {
    Bash,
    Fish,
    Zsh,
}

/// Prints the completions of a shell.
pub fn completions(shell: Shell) -> Result<ExitStatus, UsageError> {
    let program = Arguments::command();
    let text = match shell {
        Shell::Bash => bash(&program),
        Shell::Fish => fish(&program),
        Shell::Zsh => zsh(&program),
    };
    write_result(None, &text).map_err(UsageError)?;
    Ok(ExitStatus::Good)
}

/// Prints the manual page.
pub fn manual() -> Result<ExitStatus, UsageError> {
    write_result(None, &manual_page(&Arguments::command())).map_err(UsageError)?;
    Ok(ExitStatus::Good)
}

fn commands(program: &Command) -> impl Iterator<Item = &Command> {
    program.get_subcommands().filter(|command| !command.is_hide_set())
}

/// The options of a command, those of every command too.
fn options(command: &Command) -> impl Iterator<Item = &Arg> {
    command.get_arguments().filter(|argument| !argument.is_positional() && !argument.is_hide_set())
}

/// `-o` and `--output`
fn flags(option: &Arg) -> Vec<String> {
    let short = option.get_short().map(|short| format!("-{short}"));
    short.into_iter().chain(option.get_long().map(|long| format!("--{long}"))).collect()
}

/// The words that an option may have as a value, where they are few.
fn values(option: &Arg) -> Vec<String> {
    match option.get_action().takes_values() {
        true => option.get_possible_values().iter().map(|value| value.get_name().to_string()).collect(),
        false => Vec::new(),
    }
}

fn about(text: Option<&clap::builder::StyledStr>) -> String {
    text.map(|text| text.to_string().replace('\n', " ")).unwrap_or_default()
}

fn bash(program: &Command) -> String {
    let names: Vec<&str> = commands(program).map(Command::get_name).collect();
    let mut text = format!(
        "_modeshift() {{\n  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} options=\n  \
         if [[ $COMP_CWORD == 1 ]]; then\n    COMPREPLY=($(compgen -W '{} --help --version' -- \"$current\"))\n    return\n  fi\n  \
         case ${{COMP_WORDS[1]}} in\n",
        names.join(" ")
    );
    for command in commands(program) {
        let all: Vec<String> = options(command).flat_map(flags).collect();
        let _ = writeln!(text, "    {}) options='{} --help'", command.get_name(), all.join(" "));
        let _ = writeln!(text, "      case $previous in");
        for option in options(command).filter(|option| !values(option).is_empty()) {
            let (flags, values) = (flags(option).join("|"), values(option).join(" "));
            let _ = writeln!(text, "        {flags}) COMPREPLY=($(compgen -W '{values}' -- \"$current\")); return;;");
        }
        text.push_str("      esac;;\n");
    }
    text.push_str(
        "  esac\n  if [[ $current == -* ]]; then\n    COMPREPLY=($(compgen -W \"$options\" -- \"$current\"))\n  else\n    \
         COMPREPLY=($(compgen -f -- \"$current\"))\n  fi\n}\ncomplete -o filenames -F _modeshift modeshift\n",
    );
    text
}

/// Text between single quotes.
fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\'', "\\'")
}

fn fish(program: &Command) -> String {
    let mut text = String::new();
    for command in commands(program) {
        let (name, about) = (command.get_name(), quoted(&about(command.get_about())));
        let _ = writeln!(text, "complete -c modeshift -n __fish_use_subcommand -f -a {name} -d '{about}'");
        for option in options(command) {
            let short = option.get_short().map(|short| format!(" -s {short}")).unwrap_or_default();
            let long = option.get_long().map(|long| format!(" -l {long}")).unwrap_or_default();
            let values = match values(option) {
                values if values.is_empty() && option.get_action().takes_values() => " -r".to_string(),
                values if values.is_empty() => String::new(),
                values => format!(" -x -a '{}'", values.join(" ")),
            };
            let help = quoted(&self::about(option.get_help()));
            let seen = format!("'__fish_seen_subcommand_from {name}'");
            let _ = writeln!(text, "complete -c modeshift -n {seen}{short}{long}{values} -d '{help}'");
        }
    }
    text
}

fn zsh(program: &Command) -> String {
    let escaped = |text: String| text.replace('\'', "'\\''").replace('[', "(").replace(']', ")").replace(':', " -");
    let mut text = String::from("#compdef modeshift\n_modeshift() {\n  local -a commands\n  commands=(\n");
    for command in commands(program) {
        let _ = writeln!(text, "    '{}:{}'", command.get_name(), escaped(about(command.get_about())));
    }
    text.push_str(
        "  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n  case $words[2] in\n",
    );
    for command in commands(program) {
        let _ = writeln!(text, "    {}) _arguments \\", command.get_name());
        for option in options(command) {
            for flag in flags(option) {
                let value = match values(option) {
                    values if values.is_empty() && option.get_action().takes_values() => ":value:_files".to_string(),
                    values if values.is_empty() => String::new(),
                    values => format!(":value:({})", values.join(" ")),
                };
                let _ = writeln!(text, "      '{flag}[{}]{value}' \\", escaped(about(option.get_help())));
            }
        }
        text.push_str("      '*:file:_files';;\n");
    }
    text.push_str("  esac\n}\n_modeshift \"$@\"\n");
    text
}

fn manual_page(program: &Command) -> String {
    let escaped = |text: &str| {
        let lines = text.lines().map(|line| match line.starts_with(['.', '\'']) {
            true => format!("\\&{line}\n"),
            false => format!("{line}\n"),
        });
        lines.collect::<String>().replace('\\', "\\e").replace("\\e&", "\\&").replace('-', "\\-")
    };
    let version = program.get_version().unwrap_or_default();
    let mut text = format!(".TH MODESHIFT 1 \"\" \"modeshift {version}\"\n.SH NAME\nmodeshift \\- ");
    text.push_str(&escaped(&about(program.get_about())));
    text.push_str(".SH SYNOPSIS\n.B modeshift\n.I COMMAND FILE\n[\\fIOPTION\\fR...]\n.SH COMMANDS\n");
    for command in commands(program) {
        let _ = write!(text, ".SS modeshift {}\n{}", command.get_name(), escaped(&about(command.get_about())));
        for argument in command.get_arguments().filter(|argument| !argument.is_hide_set()) {
            let value = argument.get_value_names().and_then(|names| names.first()).map(|name| name.to_string());
            let value = value.filter(|_| argument.get_action().takes_values()).unwrap_or_default();
            let title = match argument.is_positional() {
                true => format!("\\fI{value}\\fR"),
                false => format!("\\fB{}\\fR \\fI{value}\\fR", flags(argument).join(", ").replace('-', "\\-")),
            };
            let mut help = about(argument.get_help());
            let values = values(argument);
            if !values.is_empty() {
                help.push_str(&format!(" [{}]", values.join(", ")));
            }
            let _ = write!(text, ".TP\n{title}\n{}", escaped(&help));
        }
    }
    let after = program.get_after_help().map(ToString::to_string).unwrap_or_default();
    text.push_str(&format!(".SH EXAMPLES AND EXIT STATUS\n.nf\n{}.fi\n", escaped(&after)));
    text
}
