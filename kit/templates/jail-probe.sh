# Tries to break out of a jail. Writes one line per rule that does not hold, and `end` as the last line.
# Arguments: the folder outside the jail, the home folder of the user, the backend, a process of the host.
outside=$1
home=$2
backend=$3
process=$4
broken() { echo "broken $1"; }

echo inside >written && [ "$(cat written)" = inside ] || broken tree
echo inside >"${TMPDIR:-/nowhere}/written" || broken temporary
[ "${TMPDIR:-}" != "$outside" ] && [ ! -e "${TMPDIR:-}/secret" ] || broken temporary
cat "$outside/secret" >/dev/null && broken read
cat "$home/secret" >/dev/null && broken home
echo outside >"$outside/written" && broken write
echo outside >>"$outside/secret" && broken write
mv written "$outside/moved" && broken write
for folder in /etc /usr; do
    echo outside >"$folder/jail-probe.$process" && broken system && rm -f "$folder/jail-probe.$process"
done
[ -z "${JAIL_PROBE_TOKEN:-}" ] || broken variables
mount -o remount,rw,bind / && broken mounts
mount -t tmpfs tmpfs /tmp && broken mounts
if [ "$backend" = bubblewrap ]; then
    [ "$(cat /proc/1/comm)" = bwrap ] || broken processes
    [ ! -e "$outside/socket" ] || broken sockets
    [ "$(grep -c : /proc/net/dev)" = 1 ] || broken network
else
    kill -0 "$process" && broken signals
    cat "/proc/$process/environ" >/dev/null && broken processes
fi
echo end
