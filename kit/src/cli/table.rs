//! The table of commands, with one line per command. It generates the arguments, the dispatch and
//! the tree for help.
//!
//! A command is a module with `Args`, whose doc comment is its help, and `run(&Context, Args) ->
//! Answer`. The macros use the `Context` and `Answer` in scope at their call.

/// Defines the subcommands of a command, as an enum that clap parses and that runs the parsed
/// subcommand.
#[macro_export]
macro_rules! verbs {
    ($(#[$of_all:meta])* $name:ident: $($(#[$attribute:meta])* $verb:ident => $module:ident,)+) => {
        #[derive(Debug, ::clap::Subcommand)]
        $(#[$of_all])*
        enum $name {
            $($(#[$attribute])* $verb($module::Args),)+
        }

        impl $name {
            fn run(self, ctx: &Context) -> CommandResult {
                match self {
                    $(Self::$verb(args) => $module::run(ctx, args),)+
                }
            }
        }
    };
}

/// Defines a command that only has subcommands. The doc comment is its help.
#[macro_export]
macro_rules! family {
    ($(#[$help:meta])* Args: $($(#[$attribute:meta])* $verb:ident => $module:ident,)+) => {
        $(#[$help])*
        #[derive(Debug, ::clap::Args)]
        pub(super) struct Args {
            #[command(subcommand)]
            verb: Verb,
        }

        $crate::verbs! { Verb: $($(#[$attribute])* $verb => $module,)+ }

        pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
            args.verb.run(ctx)
        }
    };
}

/// Defines the commands of a program twice: `Command` is used to run, and defers a command's
/// arguments until they are needed; `Whole` is the complete tree for help, completion and uncertain
/// lines.
#[macro_export]
macro_rules! program {
    ($($(#[$attribute:meta])* $verb:ident => $module:ident,)+) => {
        $crate::verbs! { #[command(defer = true)] Command: $($(#[$attribute])* $verb => $module,)+ }

        #[derive(Debug, ::clap::Subcommand)]
        enum Whole {
            $($(#[$attribute])* $verb($module::Args),)+
        }
    };
}
